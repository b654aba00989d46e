import { createHash } from 'node:crypto';
import { Refusal, type RawFile, type Sealed } from '@codase/contracts';
import { JSON_FORMAT, StreamedAnswer } from '@codase/runtime/http';
import { gatherInMemory } from '../../kit/answer-memory.service.ts';
import { fileBytes, sealedAnswer } from './payload-text.ts';

type InClear = { encrypted: false; value: string } | RawFile;

/** Returns the answer for a payload in the clear: JSON as text, in memory of the reader, and a file as it is read. @spec D1-2.12 */
export async function servedInClear(
  reader: string,
  { content_type, content_sha256 }: { content_type: string | null; content_sha256: string },
  payload: AsyncIterable<Uint8Array>,
  served_bytes: number | null = null,
): Promise<InClear | StreamedAnswer<InClear>> {
  if (content_type === null) {
    const value = await gatherInMemory(reader, (take) => gatherText(checked(content_sha256, payload), take));
    return { encrypted: false, value };
  }
  return servedBytes({ content_type, content_sha256 }, payload, served_bytes);
}

/** Returns the answer for a file in the clear, whose bytes are sent as they are read. */
export const servedBytes = (
  { content_type, content_sha256 }: { content_type: string; content_sha256: string },
  payload: AsyncIterable<Uint8Array>,
  served_bytes: number | null,
): StreamedAnswer<RawFile> =>
  new StreamedAnswer<RawFile>(
    { content_type, sha256: content_sha256, bytes: served_bytes, chunks: () => checked(content_sha256, fileBytes(payload)) },
    async (take) => ({
      content_type,
      bytes: Buffer.from(await gatherText(payload, take), 'base64'),
    }),
  );

type SealedAnswer = { encrypted: true; value: Sealed };

/** Returns the answer for a payload that is sealed to its reader; it is sent as it is read. @spec D1-2.8 */
export const servedSealed = (
  served_sha256: string,
  payload: AsyncIterable<Uint8Array>,
  served_bytes: number | null = null,
): StreamedAnswer<SealedAnswer> =>
  new StreamedAnswer<SealedAnswer>(
    {
      content_type: JSON_FORMAT.type,
      sha256: served_sha256,
      bytes: served_bytes,
      chunks: () => checked(served_sha256, sealedAnswer(payload)),
    },
    async (take) => ({ encrypted: true, value: (await gatherText(payload, take)) as Sealed }),
  );

/** Passes chunks on, and throws before the last one if the digest differs: nothing else checks content from elsewhere as a whole. */
async function* checked(sha256: string, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Refusal('service.unavailable');
  if (last) yield last;
}

/** Returns the whole payload as one text. `take` gets the length of each chunk before the chunk is kept. */
export async function gatherText(payload: AsyncIterable<Uint8Array>, take: (bytes: number) => void = () => {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of payload) {
    take(chunk.length);
    chunks.push(Buffer.from(chunk)); // a copy, since the memory of the chunk is used again
  }
  return Buffer.concat(chunks).toString();
}
