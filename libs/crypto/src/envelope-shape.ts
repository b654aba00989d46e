import { GCM_IV_BYTES, GCM_TAG_BYTES } from './aes-gcm.ts';
import { decodeCiphertext, encodeBase64 } from './base64.ts';
import type { Bytes } from './bytes.ts';
import { ENVELOPE_CHARS, PLAINTEXT_BYTES } from './limits.ts';
import { Malformed } from './refusal.ts';

/** The members of an envelope, decoded: the wrapped AES key, the IV, and the ciphertext with its tag. @spec D1-2.3 */
export interface EnvelopeParts {
  k: Bytes;
  iv: Bytes;
  d: Bytes;
}

export const RSA_2048_BYTES = 256;
// The quotes of four names and three values. When every member is there, none is left for a further member, or for one written twice.
const QUOTES = 14;

/** Writes an envelope as it travels. JSON.stringify would search the base64 for characters to escape. @spec D1-2.3 */
export function writeEnvelope({ k, iv, d }: EnvelopeParts): string {
  return `{"_enc":1,"k":"${encodeBase64(k)}","iv":"${encodeBase64(iv)}","d":"${encodeBase64(d)}"}`;
}

/** Reads exactly the four members, each of its exact size. Throws for anything else. @spec D1-2.3 */
export function readEnvelope(text: unknown): EnvelopeParts {
  if (typeof text !== 'string' || text.length > ENVELOPE_CHARS || !isFlat(text)) throw new Malformed();
  const members: Record<string, unknown> = JSON.parse(text);
  if (members._enc !== 1) throw new Malformed();
  return {
    k: decodeCiphertext(members.k, RSA_2048_BYTES),
    iv: decodeCiphertext(members.iv, GCM_IV_BYTES),
    d: decodeCiphertext(members.d, GCM_TAG_BYTES, GCM_TAG_BYTES + PLAINTEXT_BYTES),
  };
}

/** Whether a text has the form of an envelope, which needs no key: so a server can tell sealed from clear. @spec D1-2.3 */
export function isEnvelope(text: unknown): text is string {
  try {
    readEnvelope(text);
    return true;
  } catch {
    return false;
  }
}

/** Bounds the work of JSON.parse: no lists, and quotes for four members only. */
function isFlat(text: string): boolean {
  if (text.includes('[')) return false;
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0 && quotes <= QUOTES; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes === QUOTES;
}
