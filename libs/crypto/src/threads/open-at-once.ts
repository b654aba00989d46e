import { constants, createHash, createHmac, privateDecrypt, randomBytes } from 'node:crypto';
import { AES_KEY_BYTES } from '../aes-gcm.ts';
import { nodeGcm } from '../aes-gcm.node.ts';
import { decodeSized, encodeBase64 } from '../base64.ts';
import type { Bytes } from '../bytes.ts';
import type { Attestation } from '../digests.ts';
import { readEnvelope, RSA_2048_BYTES, type EnvelopeParts } from '../envelope-shape.ts';
import { wrongHash, type OaepHash } from '../oaep-hash.ts';
import { takeUtf8, plaintextBytes } from '../text.ts';
import type { ThreadKey } from './thread-key.ts';

/** A value, an encrypt_payload body, or only the wrapped key of a value, which opens to base64 or to its substitute. */
export interface SealedText {
  kind: 'value' | 'envelope' | 'wrapped_key';
  key: ThreadKey;
  text: string;
}

/** @spec D1-2.3 */
const HASHES: Record<SealedText['kind'], OaepHash> = { value: 'SHA-256', envelope: 'SHA-1', wrapped_key: 'SHA-256' };

/** The names that OpenSSL finds directly. For any other name it searches all its algorithms, for each value. */
const OPENSSL_NAMES: Record<OaepHash, string> = { 'SHA-256': 'sha256', 'SHA-1': 'sha1' };

/**
 * Opens several texts. A text that has a fault, in its form or its key, gives undefined in its place. Each step is done for all texts
 * before the next step: an RSA operation displaces everything else from the core's caches, and texts opened one after the other would each
 * pay for that. @spec D1-2.3 @spec D1-6.4 @gap D1-2.3 @gap D1-2.8
 */
export function openAllAtOnce(sealed: readonly SealedText[]): (string | undefined)[] {
  for (const { kind, key } of sealed) if (key.hash !== HASHES[kind]) throw wrongHash(HASHES[kind]);
  const read = sealed.map((one) => orUndefined(() => readText(one)));
  const keys = read.map((one) => one && unwrap(one));
  return read.map((one, nth) => one && orUndefined(() => clearText(one, keys[nth]!)));
}

/** Whether the plaintext is the one that was verified. False means not attested, not wrong. @spec D1-2.7 */
export function isAttestedAtOnce({ verified_hash, verified_salt }: Attestation, plaintext: string): boolean {
  if (typeof verified_hash !== 'string' || typeof verified_salt !== 'string') return false;
  try {
    const hash = createHash('sha256').update(plaintextBytes(verified_salt)).update(plaintextBytes(plaintext));
    return hash.digest('hex') === verified_hash;
  } catch {
    return false;
  }
}

interface ReadText extends Partial<EnvelopeParts> {
  k: Bytes;
  key: ThreadKey;
  /** Replaces a key that does not unwrap, so that it fails as a wrong tag does. It is made for good keys too. */
  substitute: Bytes;
}

/** The substitute for the key of a value. It never leaves this thread; each text gets a copy, as a key is zeroed after use. */
const OPENS_NOTHING = new Uint8Array(randomBytes(AES_KEY_BYTES));

function readText({ kind, key, text }: SealedText): ReadText {
  if (kind !== 'wrapped_key') return { key, ...readEnvelope(text), substitute: OPENS_NOTHING.slice() };
  const k = decodeSized(text, RSA_2048_BYTES);
  return { key, k, substitute: substituteOf(key, k) };
}

/** Returns the substitute that a caller gets in place of a key, as `unwrapKey` computes it: the same one each time. */
const substituteOf = ({ substitute }: ThreadKey, k: Bytes): Bytes => new Uint8Array(createHmac('sha256', substitute).update(k).digest());

function unwrap({ key: { hash, rsa }, k, substitute }: ReadText): Bytes {
  try {
    const unwrapped = privateDecrypt({ key: rsa, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: OPENSSL_NAMES[hash] }, k);
    return unwrapped.length === AES_KEY_BYTES ? (unwrapped as Bytes) : substitute;
  } catch {
    return substitute;
  }
}

function clearText({ iv, d }: ReadText, aesKey: Bytes): string {
  try {
    return iv && d ? takeUtf8(nodeGcm!.open(aesKey, iv, d)) : encodeBase64(aesKey);
  } finally {
    aesKey.fill(0);
  }
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
