import { z } from 'zod';
import type { PlainKey } from './errors.ts';
import { fails } from './fails.ts';
import { ENVELOPE, KEY_WRAP, ONE_TIME_KEY_BYTES, SEALED_CHARS, UPLOAD_CHARS } from './limits.ts';
import { named } from './named.ts';

const base64Chars = (bytes: number) => Math.ceil(bytes / 3) * 4;

const LAST_QUAD = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/** Standard alphabet, padded, no white space, no stray bits. Looks for what does not belong, since a document may be long. @gap D1-2.3 */
export const isBase64 = (text: unknown): text is string =>
  typeof text === 'string' && text.length % 4 === 0 && LAST_QUAD.test(text.slice(-4)) && !/[^A-Za-z0-9+/]/.test(text.slice(0, -4));

const isSized = (text: unknown, bytes: number) => isBase64(text) && text.length === base64Chars(bytes);

/** Whether a text is a wrapper by its form, which needs no key. @spec D1-2.3 */
export function isSealed(text: unknown): text is Sealed {
  if (typeof text !== 'string' || !text.startsWith('{') || text.includes('[')) return false;
  const members = parseMembers(text);
  return (
    members !== undefined &&
    Object.keys(members).length === 4 &&
    members['_enc'] === 1 &&
    isSized(members['k'], ENVELOPE.key_bytes) &&
    isSized(members['iv'], ENVELOPE.iv_bytes) &&
    isBase64(members['d']) &&
    members['d'].length >= base64Chars(ENVELOPE.tag_bytes) &&
    hidesNothing(text, [members['k'], members['iv'], members['d']] as string[])
  );
}

const FRAME_CHARS = '{"_enc":1,"k":"","iv":"","d":""}'.length;

/** A member written twice, or a number with digits to spare, would be read over and stored with what it says. White space says nothing. */
function hidesNothing(text: string, values: readonly string[]): boolean {
  const length = values.reduce((sum, value) => sum + value.length, FRAME_CHARS);
  return text.length === length || text.replace(/\s+/g, '').length === length;
}

function parseMembers(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A wrapper of a bounded length; what is none, and what is too long, answers the given keys. @spec D1-7 */
export const sealedUpTo = (most: number, tooLong: PlainKey, plaintext: PlainKey = 'contact_data.encryption_required') =>
  z.string(fails(plaintext)).max(most, fails(tooLong)).refine(isSealed, fails(plaintext)).brand<'Sealed'>();

/**
 * A wrapper serialized as a JSON string. Only ciphertext has this type, so only ciphertext reaches a sealed column. @spec D1-2.3
 */
export const Sealed = named('Sealed', sealedUpTo(SEALED_CHARS, 'request.invalid'), 'Ciphertext: {_enc: 1, k, iv, d} as a JSON string');
export type Sealed = string & z.core.$brand<'Sealed'>;

/** Ciphertext as it is answered: what was sealed when it came in is not looked at again. */
export const Ciphertext = named('Ciphertext', z.string().brand<'Sealed'>());

/** The wrapper of a whole file, within the upload budget. @spec D2-8 */
export const SealedUpload = sealedUpTo(UPLOAD_CHARS, 'documents.too_large');
/** The wrapper of a file answer. @spec D2-4.2 */
export const SealedAnswerFile = sealedUpTo(UPLOAD_CHARS, 'flows.answer_file_too_large');

/** The wrapped key of a value, `k` of its wrapper. @spec D1-2.3 */
export const WrappedKey = z.string().refine((text) => isSized(text, ENVELOPE.key_bytes));

/** base64 of IV, ciphertext and tag under a one-time key. @spec D2-4.3 */
export const Box = z
  .string()
  .min(base64Chars(ENVELOPE.iv_bytes + ENVELOPE.tag_bytes))
  .max(UPLOAD_CHARS, fails('documents.too_large'))
  .refine(isBase64);
/** base64 of 32 random bytes, used for one call. @spec D2-8 */
export const OneTimeKey = z.string().refine((text) => isSized(text, ONE_TIME_KEY_BYTES));

/** base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key. @spec D1-2.4 */
export const publicKeyOr = (key: PlainKey) => z.string(fails(key)).min(1, fails(key)).max(1024, fails(key)).refine(isBase64, fails(key));
/** The same, as it is answered. */
export const PublicKey = z.string();

/** A private key that only its owner's passphrase opens. @spec D1-2.4 */
export const EncryptedPrivateKey = named(
  'EncryptedPrivateKey',
  z.object({
    iter: z.int(),
    salt: z.string(),
    iv: z.string(),
    data: z.string(),
  }),
);
export type EncryptedPrivateKey = z.infer<typeof EncryptedPrivateKey>;

/** The same as it is sent, of exactly the sizes of the recipe. @spec D1-2.4 @spec D1-8 */
export const encryptedPrivateKeyOr = (key: PlainKey) =>
  z.strictObject(
    {
      iter: z.literal(KEY_WRAP.iterations, fails(key)),
      salt: z.string(fails(key)).refine((salt) => isSized(salt, KEY_WRAP.salt_bytes), fails(key)),
      iv: z.string(fails(key)).refine((iv) => isSized(iv, KEY_WRAP.iv_bytes), fails(key)),
      data: z.string(fails(key)).min(1, fails(key)).max(8192, fails(key)).refine(isBase64, fails(key)),
    },
    fails(key),
  );
