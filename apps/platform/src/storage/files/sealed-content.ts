import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { FileStoreFault, type FileContent } from './file-store.ts';

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;
/** The same for all objects: each sealing key seals only one object, so that the nonce need not differ. */
const NONCE = Buffer.alloc(12);

export const newSealingKey = (): Buffer => randomBytes(32);

/** The seal of one object. It is valid only under the object's own key in the store: a copy under another key cannot be opened. */
export interface Seal {
  object_key: string;
  sealing_key: Uint8Array;
}

/** Returns the content as the store has it: the ciphertext of AES-256-GCM, then the tag. */
export async function sealed(seal: Seal, clear: () => AsyncIterable<Uint8Array>): Promise<FileContent> {
  const read = () => encrypted(seal, clear());
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of read()) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest('hex'), read };
}

async function* encrypted({ object_key, sealing_key }: Seal, clear: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const cipher = createCipheriv(ALGORITHM, sealing_key, NONCE).setAAD(Buffer.from(object_key));
  for await (const chunk of clear) yield cipher.update(chunk);
  yield cipher.final();
  yield cipher.getAuthTag();
}

/**
 * Opens sealed content as it arrives. Throws `FileStoreFault` of the kind `corrupt` when a byte was changed, added or removed. This shows
 * only at the end, so the caller has already passed bytes on and must break off there.
 */
export async function* opened(seal: Seal, bytes: number, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const decipher = createDecipheriv(ALGORITHM, seal.sealing_key, NONCE, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(seal.object_key));
  const tag = Buffer.alloc(TAG_BYTES);
  let at = 0;
  for await (const chunk of content) {
    if (at + chunk.byteLength > bytes) throw corrupt();
    const ofText = Math.min(Math.max(bytes - TAG_BYTES - at, 0), chunk.byteLength);
    if (ofText > 0) yield decipher.update(chunk.subarray(0, ofText));
    tag.set(chunk.subarray(ofText), Math.max(at - (bytes - TAG_BYTES), 0));
    at += chunk.byteLength;
  }
  if (at !== bytes) throw corrupt();
  try {
    decipher.setAuthTag(tag).final();
  } catch {
    throw corrupt();
  }
}

/** Opens sealed content and returns it as text, once it is known to be intact. */
export async function openedText(seal: Seal, bytes: number, content: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const texts: string[] = [];
  for await (const chunk of opened(seal, bytes, content)) texts.push(decoder.decode(chunk, { stream: true }));
  return texts.join('') + decoder.decode();
}

/** Returns how many bytes were sealed: the length without the tag. */
export const clearBytes = (bytes: number): number => bytes - TAG_BYTES;

const BLOCK_BYTES = 16;
/** GCM counts its blocks from 2: the first is for the tag. */
const FIRST_BLOCK = 2;

/** Opens a part of sealed content from the start of a block. Only the digest of the whole content detects a change. */
export function openedRange({ sealing_key }: Pick<Seal, 'sealing_key'>, from: number, content: Uint8Array): Buffer {
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(FIRST_BLOCK + from / BLOCK_BYTES);
  return createDecipheriv('aes-256-ctr', sealing_key, Buffer.concat([NONCE, counter])).update(content);
}

const corrupt = () =>
  new FileStoreFault('corrupt', 'an object is not what was stored: bring it back from a version or backup of the bucket');
