import { Readable } from 'node:stream';
import { CONTENT_SHA256_HEADER } from '@cds/contracts';
import type { FastifyReply } from 'fastify';

/** Bytes that leave while they are read. */
export interface Streamed {
  content_type: string;
  /** Of exactly these bytes, hex. @spec D1-2.8 */
  sha256: string;
  chunks(): AsyncIterable<Uint8Array>;
}

/** An answer that is long, and is never in memory whole. Where it is JSON and its caller wants XML it is gathered after all. */
export class StreamedAnswer<T> {
  constructor(
    readonly streamed: Streamed,
    readonly gather: () => Promise<T>,
  ) {}
}

export const sendStreamed = (reply: FastifyReply, { content_type, sha256, chunks }: Streamed): void =>
  void reply
    .type(content_type)
    .header(CONTENT_SHA256_HEADER.toLowerCase(), sha256)
    .send(Readable.from(chunks(), { objectMode: false }));
