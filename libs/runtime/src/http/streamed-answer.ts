import type { ServerResponse } from 'node:http';
import { CONTENT_SHA256_HEADER } from '@cds/contracts';
import type { FastifyReply } from 'fastify';

/** Bytes that leave while they are read. */
export interface Streamed {
  content_type: string;
  /** Of exactly these bytes, hex. @spec D1-2.8 */
  sha256: string;
  /** How many they are; null where that is not known before they leave. */
  bytes: number | null;
  /** The next one is asked for when the kernel has the one before: its memory may be used again then. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** An answer that is long, and is never in memory whole. Where it is JSON and its caller wants XML it is gathered after all. */
export class StreamedAnswer<T> {
  constructor(
    readonly streamed: Streamed,
    readonly gather: () => Promise<T>,
  ) {}
}

/** What fails before its first bytes is refused as anything else; what fails later breaks off. */
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

/** Whoever leaves is not waited for. */
async function written(raw: ServerResponse, chunk: Uint8Array, isOver: Promise<unknown>): Promise<void> {
  const isTaken = new Promise<void>((resolve, reject) => void raw.write(chunk, (error) => (error ? reject(error) : resolve())));
  await Promise.race([isTaken, isOver]);
  if (raw.destroyed) throw new Error('whoever asked has left');
}
