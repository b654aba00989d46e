import { nodeGcm } from './aes-gcm.node.ts';
import { AES_KEY_BYTES, GCM_IV_BYTES, GCM_TAG_BYTES, openGcm, sealGcm } from './aes-gcm.ts';
import { decodeSized, encodeBase64 } from './base64.ts';
import { concatBytes, type Bytes } from './bytes.ts';
import { PLAINTEXT_BYTES } from './limits.ts';
import { randomBytes } from './random.ts';
import { Malformed, refusing } from './refusal.ts';
import { decodeUtf8, plaintextBytes } from './text.ts';

const SMALLEST = GCM_IV_BYTES + GCM_TAG_BYTES;

/** Creates a one-time key, as sent in `otk`: base64 of 32 random bytes. @spec D2-4.3 */
export function createOneTimeKey(): string {
  return encodeBase64(randomBytes(AES_KEY_BYTES));
}

/** Seals a text or bytes under the one-time key. Returns base64(iv, ciphertext, tag). @spec D2-4.3 */
export async function sealBox(otk: string, plaintext: string | Uint8Array): Promise<string> {
  const bytes = plaintextBytes(plaintext);
  const key = await refusing('secret', () => oneTimeKey(otk));
  const { iv, data } = await sealGcm(key, bytes);
  return encodeBase64(concatBytes(iv, data));
}

/** Opens a box that holds bytes, such as a PDF. @spec D2-4.3 */
export function openBox(otk: string, box: string): Promise<Bytes> {
  return refusing('envelope', () => openBoxBytes(otk, box));
}

/** Opens a box that is already decoded, in its own memory where the runtime can, so that a long box is in memory only once. @spec D2-4.3 */
export function openDecodedBox(otk: string, box: Bytes): Promise<Bytes> {
  return refusing('envelope', async () => {
    if (box.length < SMALLEST || box.length > SMALLEST + PLAINTEXT_BYTES) throw new Malformed();
    const [key, iv, data] = [oneTimeKey(otk), box.subarray(0, GCM_IV_BYTES), box.subarray(GCM_IV_BYTES)];
    return nodeGcm ? nodeGcm.openInPlace(key, iv, data) : openGcm(key, iv, data);
  });
}

/** Opens a box that holds text: the answers as JSON, or a PDF's envelope. @spec D2-4.3 */
export function openBoxText(otk: string, box: string): Promise<string> {
  return refusing('envelope', async () => decodeUtf8(await openBoxBytes(otk, box)));
}

async function openBoxBytes(otk: string, box: string): Promise<Bytes> {
  const key = oneTimeKey(otk);
  const bytes = decodeSized(box, SMALLEST, SMALLEST + PLAINTEXT_BYTES);
  return openGcm(key, bytes.subarray(0, GCM_IV_BYTES), bytes.subarray(GCM_IV_BYTES));
}

function oneTimeKey(otk: string): Bytes {
  return decodeSized(otk, AES_KEY_BYTES);
}
