import { createHash } from 'node:crypto';
import { Refusal, type RawFile, type Sealed } from '@cds/contracts';
import { JSON_FORMAT, StreamedAnswer } from '@cds/runtime/http';
import { fileBytes, sealedAnswer } from './payload-text.ts';

type InClear = { encrypted: false; value: string } | RawFile;

/** What is for everybody, in one of the shapes of D1-2.8: JSON as text, a file as its bytes, while they are read. @spec D1-2.12 */
export async function servedInClear(
  { content_type, content_sha256 }: { content_type: string | null; content_sha256: string },
  payload: AsyncIterable<Uint8Array>,
  served_bytes: number | null = null,
): Promise<InClear | StreamedAnswer<InClear>> {
  if (content_type === null) return { encrypted: false, value: await gatherText(checked(content_sha256, payload)) };
  return new StreamedAnswer<InClear>(
    { content_type, sha256: content_sha256, bytes: served_bytes, chunks: () => checked(content_sha256, fileBytes(payload)) },
    async () => ({
      content_type,
      bytes: Buffer.from(await gatherText(payload), 'base64'),
    }),
  );
}

type SealedAnswer = { encrypted: true; value: Sealed };

/** What is sealed to its reader, while it is read. @spec D1-2.8 */
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
    async () => ({ encrypted: true, value: (await gatherText(payload)) as Sealed }),
  );

/** What is not what was stored breaks off: pieces of another region, and objects of a store, are looked at by nobody else as a whole. */
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

/** All of it as one text. */
export async function gatherText(payload: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of payload) chunks.push(Buffer.from(chunk)); // its memory is used again
  return Buffer.concat(chunks).toString();
}
