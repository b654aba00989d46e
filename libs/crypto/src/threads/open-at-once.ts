import { constants, createHash, createHmac, privateDecrypt } from 'node:crypto';
import { AES_KEY_BYTES } from '../aes-gcm.ts';
import { nodeGcm } from '../aes-gcm.node.ts';
import { decodeSized, encodeBase64 } from '../base64.ts';
import type { Bytes } from '../bytes.ts';
import type { Attestation } from '../digests.ts';
import { readEnvelope, RSA_2048_BYTES } from '../envelope-shape.ts';
import { wrongHash, type OaepHash } from '../oaep-hash.ts';
import { CryptoRefusal, type RefusalKind } from '../refusal.ts';
import { decodeUtf8, plaintextBytes } from '../text.ts';
import type { ThreadKey } from './thread-key.ts';

/** Opens a value wrapper; every fault, of form or of key, is the same refusal. @spec D1-2.3 @gap D1-2.3 */
export function openValueAtOnce(key: ThreadKey, wrapper: string): string {
  requireHash(key, 'SHA-256');
  return refusingAtOnce('envelope', () => open(key, wrapper));
}

/** Opens an encrypt_payload webhook body; every fault is the same refusal. @spec D1-2.3 @spec D1-6.4 @gap D1-2.3 */
export function openAccountEnvelopeAtOnce(key: ThreadKey, envelope: string): string {
  requireHash(key, 'SHA-1');
  return refusingAtOnce('envelope', () => open(key, envelope));
}

/** The own key of one value, or a substitute that opens nothing, as `unwrapKey` gives it. @spec D1-2.3 @gap D1-2.8 */
export function unwrapKeyAtOnce(key: ThreadKey, wrapped_key: string): string {
  requireHash(key, 'SHA-256');
  return refusingAtOnce('envelope', () => encodeBase64(unwrap(key, decodeSized(wrapped_key, RSA_2048_BYTES))));
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

function open(key: ThreadKey, envelope: string): string {
  const { k, iv, d } = readEnvelope(envelope);
  const aesKey = unwrap(key, k);
  try {
    return decodeUtf8(nodeGcm!.open(aesKey, iv, d));
  } finally {
    aesKey.fill(0);
  }
}

/** As `openValue` does it: what does not unwrap ends as a wrong tag, and the substitute is computed for good keys too. */
function unwrap({ hash, rsa, substitute }: ThreadKey, k: Bytes): Bytes {
  const instead = new Uint8Array(createHmac('sha256', substitute).update(k).digest());
  try {
    const unwrapped = privateDecrypt({ key: rsa, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash }, k);
    return unwrapped.length === AES_KEY_BYTES ? (unwrapped as Bytes) : instead;
  } catch {
    return instead;
  }
}

function requireHash(key: ThreadKey, hash: OaepHash): void {
  if (key.hash !== hash) throw wrongHash(hash);
}

function refusingAtOnce<T>(kind: RefusalKind, work: () => T): T {
  try {
    return work();
  } catch {
    throw new CryptoRefusal(kind);
  }
}
