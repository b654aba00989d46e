import type { ServerResponse } from 'node:http';
import { CONTENT_SHA256_HEADER } from '@codase/contracts';
import type { FastifyReply } from 'fastify';

/** Bytes that leave while they are read. */
export interface Streamed {
  content_type: string;
  /** The digest of exactly these bytes, in hex. @spec D1-2.8 */
  sha256: string;
  /** The number of bytes; null when it is not known before they leave. */
  bytes: number | null;
  /** The chunks. The next one is asked for when the kernel has taken the one before, whose memory may be used again then. */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * A long answer that is never in memory whole. Only an answer in JSON whose caller wants XML is collected after all. `gather` must call
 * `take` with the length of each chunk before it keeps the chunk; `take` throws when there is no memory for it.
 */
export class StreamedAnswer<T> {
  constructor(
    readonly streamed: Streamed,
    readonly gather: (take: (bytes: number) => void) => Promise<T>,
  ) {}
}

/** Sends the chunks. A failure before the first bytes is refused like any other; a later failure breaks the answer off. */
export async function sendStreamed(reply: FastifyReply, { content_type, sha256, bytes, chunks }: Streamed): Promise<void> {
  const iterator = chunks()[Symbol.asyncIterator]();
  let next = await iterator.next();
  if (bytes !== null) reply.header('content-length', bytes);
  const { raw } = reply.type(content_type).header(CONTENT_SHA256_HEADER.toLowerCase(), sha256).hijack();
  raw.setHeaders(new Map(Object.entries(reply.getHeaders()) as [string, string][]));
  const isOver = new Promise((resolve) => raw.once('close', resolve));
  try {
    for (; !next.done; next = await iterator.next()) await written(raw, next.value, isOver);
    raw.end();
  } catch {
    raw.destroy();
  } finally {
    await iterator.return?.();
  }
}

/** Waits until a chunk is written, but not for a caller that has left. */
async function written(raw: ServerResponse, chunk: Uint8Array, isOver: Promise<unknown>): Promise<void> {
  const isTaken = new Promise<void>((resolve, reject) => void raw.write(chunk, (error) => (error ? reject(error) : resolve())));
  await Promise.race([isTaken, isOver]);
  if (raw.destroyed) throw new Error('whoever asked has left');
}
