import { GCM_IV_BYTES, GCM_TAG_BYTES } from './aes-gcm.ts';
import { decodeSized, encodeBase64 } from './base64.ts';
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
// Four names and three values: with every member there, no quote is left for another member, or for one written twice.
const QUOTES = 14;

/** The JSON string in which an envelope travels. Base64 needs no escaping, for which JSON.stringify would search it. @spec D1-2.3 */
export function writeEnvelope({ k, iv, d }: EnvelopeParts): string {
  return `{"_enc":1,"k":"${encodeBase64(k)}","iv":"${encodeBase64(iv)}","d":"${encodeBase64(d)}"}`;
}

/** Reads exactly the four members, each of its exact size; anything else is malformed. @spec D1-2.3 */
export function readEnvelope(text: unknown): EnvelopeParts {
  if (typeof text !== 'string' || text.length > ENVELOPE_CHARS || !isFlat(text)) throw new Malformed();
  const members: Record<string, unknown> = JSON.parse(text);
  if (members._enc !== 1) throw new Malformed();
  return {
    k: decodeSized(members.k, RSA_2048_BYTES),
    iv: decodeSized(members.iv, GCM_IV_BYTES),
    d: decodeSized(members.d, GCM_TAG_BYTES, GCM_TAG_BYTES + PLAINTEXT_BYTES),
  };
}

/** Whether this is an envelope by its form, which needs no key: how a server tells sealed from clear. @spec D1-2.3 */
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
