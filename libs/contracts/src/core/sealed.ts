import { z } from 'zod';
import { base64Bytes } from './base64.ts';
import type { PlainKey } from './errors.ts';
import { expects, fails } from './fails.ts';
import { jsonIn } from './json.ts';
import { ENVELOPE, KEY_WRAP, ONE_TIME_KEY_BYTES, PRIVATE_KEY_BYTES, SEALED_CHARS, UPLOAD_CHARS } from './limits.ts';
import { named } from './named.ts';
import { encryptedKeyFault, encryptedPemFault } from './private-key-form.ts';

const isSized = (text: unknown, bytes: number) => base64Bytes(text) === bytes;
const hasAtLeast = (text: unknown, bytes: number) => (base64Bytes(text) ?? 0) >= bytes;

/** Whether a text is a wrapper, written in any way that JSON allows. This needs no key. @spec D1-2.3 */
export function isSealed(text: unknown): text is Sealed {
  if (typeof text !== 'string' || !BEGINS_AS_OBJECT.test(text) || text.includes('[')) return false;
  if (isCompact(text)) return true;
  if (!hasNoDuplicateMembers(text)) return false; // before it is parsed, which could use many times more memory than the text has
  const members = jsonIn(text) as Record<string, unknown> | undefined;
  return (
    members !== undefined &&
    Object.keys(members).length === MEMBERS &&
    members['_enc'] === 1 &&
    hasSizes(members['k'], members['iv'], members['d'])
  );
}

const hasSizes = (k: unknown, iv: unknown, d: unknown): boolean =>
  isSized(k, ENVELOPE.key_bytes) && isSized(iv, ENVELOPE.iv_bytes) && hasAtLeast(d, ENVELOPE.tag_bytes);

const base64Chars = (bytes: number) => Math.ceil(bytes / 3) * 4;
/** The constant parts of a wrapper without white space, and where the values between them begin and end. */
const COMPACT_PARTS = ['{"_enc":1,"k":"', '","iv":"', '","d":"', '"}'] as const;
const K_AT = COMPACT_PARTS[0].length;
const K_END = K_AT + base64Chars(ENVELOPE.key_bytes);
const IV_AT = K_END + COMPACT_PARTS[1].length;
const IV_END = IV_AT + base64Chars(ENVELOPE.iv_bytes);
const D_AT = IV_END + COMPACT_PARTS[2].length;

/** Whether a text is a wrapper without white space, as nearly all are: its values begin at fixed positions, so nothing is parsed. */
const isCompact = (text: string): boolean =>
  text.startsWith(COMPACT_PARTS[0]) &&
  text.startsWith(COMPACT_PARTS[1], K_END) &&
  text.startsWith(COMPACT_PARTS[2], IV_END) &&
  text.endsWith(COMPACT_PARTS[3]) &&
  hasSizes(text.slice(K_AT, K_END), text.slice(IV_AT, IV_END), text.slice(D_AT, -COMPACT_PARTS[3].length));

/** A JSON object begins. With the absence of lists, that is a cheap check before anything is parsed. */
const BEGINS_AS_OBJECT = /^[ \t\n\r]*\{/;
const MEMBERS = 4;
/** Two quotes for each of four names and three values. A further one belongs to a member that is written twice. */
const QUOTES = 14;

/** Whether no member is written twice. Parsing would drop the first one, and the text with it would be stored unchecked. */
function hasNoDuplicateMembers(text: string): boolean {
  const betweenQuotes = text.split('"', QUOTES + 2); // one more than there may be, so that a further quote shows
  return betweenQuotes.length === QUOTES + 1 && betweenQuotes.every((piece, nth) => nth % 2 === 1 || isPunctuationOrOne(piece));
}

/** Whether a piece outside of strings holds only punctuation, white space and digits of the number one, such as 1, 1.0 or 10e-1. */
function isPunctuationOrOne(piece: string): boolean {
  const number = /[\d.]+/.exec(piece)?.[0];
  return number === undefined || /^0*10*$/.test(number.replace('.', ''));
}

/** What ciphertext must be, in words that follow the name of the member. @spec D1-2.3 */
export const WRAPPER_FORM = 'must be a wrapper, {_enc: 1, k, iv, d} as a JSON string: seal it first';

/** A wrapper of a bounded length. A text that is no wrapper, or is too long, is refused with the given error keys. @spec D1-7 */
export const sealedUpTo = (most: number, tooLong: PlainKey, plaintext: PlainKey = 'contact_data.encryption_required') =>
  z.string(fails(plaintext, WRAPPER_FORM)).max(most, fails(tooLong)).refine(isSealed, fails(plaintext, WRAPPER_FORM)).brand<'Sealed'>();

/** A wrapper as a JSON string. Only ciphertext has this type, so only ciphertext reaches a sealed column. @spec D1-2.3 */
export const Sealed = named('Sealed', sealedUpTo(SEALED_CHARS, 'request.invalid'), 'Ciphertext: {_enc: 1, k, iv, d} as a JSON string');
export type Sealed = string & z.core.$brand<'Sealed'>;

/** Ciphertext in an answer: it was checked when it came in, and is not checked again. */
export const Ciphertext = named('Ciphertext', z.string().brand<'Sealed'>());

/** The wrapper of a whole file, within the upload budget. @spec D2-8 */
export const SealedUpload = sealedUpTo(UPLOAD_CHARS, 'documents.too_large');
/** The wrapper of a file answer. @spec D2-4.2 */
export const SealedAnswerFile = sealedUpTo(UPLOAD_CHARS, 'flows.answer_file_too_large');

/** The wrapped key of a value, `k` of its wrapper. @spec D1-2.3 */
export const WrappedKey = z
  .string()
  .refine((text) => isSized(text, ENVELOPE.key_bytes), expects(`must be base64 of ${ENVELOPE.key_bytes} bytes`));

const BOX_BYTES = ENVELOPE.iv_bytes + ENVELOPE.tag_bytes;

/** base64 of IV, ciphertext and tag under a one-time key. @spec D2-4.3 */
export const Box = z
  .string()
  .max(UPLOAD_CHARS, fails('documents.too_large'))
  .refine((text) => hasAtLeast(text, BOX_BYTES), expects(`must be base64 of IV, ciphertext and tag, at least ${BOX_BYTES} bytes`));

/** base64 of exactly so many bytes; anything else is refused with the error key, where one is given. */
const bytesOr = (bytes: number, key?: PlainKey) => {
  const expected = `must be base64 of ${bytes} bytes`;
  const fault = key ? fails(key, expected) : expects(expected);
  return z.string(fault).refine((text) => isSized(text, bytes), fault);
};

/** base64 of 32 random bytes, used for one call. @spec D2-8 */
export const OneTimeKey = bytesOr(ONE_TIME_KEY_BYTES);

/** What a public key must be, in words that follow the name of the member. @spec D1-2.4 */
export const PUBLIC_KEY_FORM = 'must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key with the exponent 65537';

/** A public key, refused with the error key unless it is base64 of a limited length. The code that stores it checks its content. */
export const publicKeyOr = (key: PlainKey) => {
  const fault = fails(key, PUBLIC_KEY_FORM);
  return z
    .string(fault)
    .max(1024, fault)
    .refine((text) => hasAtLeast(text, 1), fault);
};
/** A public key in an answer. */
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

/** An encrypted private key as it is sent, with exactly the sizes that the specification gives. @spec D1-2.4 @spec D1-8 */
export const encryptedPrivateKeyOr = (key: PlainKey) =>
  z.strictObject(
    {
      iter: z.literal(KEY_WRAP.iterations, fails(key, `must be ${KEY_WRAP.iterations}`)),
      salt: bytesOr(KEY_WRAP.salt_bytes, key),
      iv: bytesOr(KEY_WRAP.iv_bytes, key),
      data: z.string(fails(key)).superRefine(judgedBy(encryptedKeyFault, key)),
    },
    fails(key, 'must be an object of iter, salt, iv and data, and nothing else'),
  );

/** An encrypted PKCS#8 PEM, stored and served as it came: the server never has the key to write it anew. @spec D1-2.3 @gap D1-2.3 */
export const encryptedPemOr = (key: PlainKey) =>
  z.string(fails(key)).max(PEM_CHARS, fails(key)).superRefine(judgedBy(encryptedPemFault, key));

const PEM_CHARS = 2 * PRIVATE_KEY_BYTES.most;

const judgedBy =
  (faultOf: (text: string) => string | undefined, key: PlainKey) =>
  (text: string, { addIssue }: z.RefinementCtx) => {
    const fault = faultOf(text);
    if (fault !== undefined) addIssue({ code: 'custom', message: fails(key, fault).error });
  };
