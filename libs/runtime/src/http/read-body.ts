import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '@codase/contracts';
import type { FastifyRequest } from 'fastify';
import { bodyDeadlines } from './body-deadlines.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { tooLarge } from './refusals.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a body may take to come; when absent, as long as the whole request may. */
    bodyMs?: number;
    /** The refusal of a body that is too large; request.too_large when absent. */
    tooLarge?: Endpoint['tooLarge'];
  }
}

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Collects a body. Memory for it was taken when the request was admitted or, when it does not say its length, is taken while it comes. A
 * body of known length lies in one piece from the start, and never twice. When a request breaks off, its body is closed; Node emits no
 * error without a listener for errors.
 */
export function readBody(request: FastifyRequest, body: IncomingMessage, done: Done): void {
  const { bodyLimit, config } = request.routeOptions;
  const declared = request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);
  if ((declared ?? 0) > bodyLimit) return done(tooLarge(request.routeOptions));
  if (body.destroyed) return done(brokenOff());
  let gathered: GatheredBytes | OnePiece | undefined = declared === undefined ? new CountedBytes(request) : new OnePiece(declared);
  const end = (error: Error | null) => {
    if (!gathered) return;
    const bytes = gathered;
    gathered = undefined; // the listeners live as long as the request: the bytes must not
    bodyDeadlines.delete(end);
    if (error) done(error);
    else done(null, bytes.whole());
  };
  const take = (chunk: Buffer) => {
    try {
      gathered?.add(chunk);
    } catch (error) {
      end(error as Error);
    }
  };
  if (config.bodyMs !== undefined) bodyDeadlines.add(end, performance.now() + config.bodyMs);
  body
    .on('data', take)
    .on('end', () => end(null))
    .on('close', () => void (gathered && end(brokenOff()))); // every body is closed in the end: an error for each would cost its stack
}

const brokenOff = () => Object.assign(new Error('The body broke off'), { statusCode: 400 });

class OnePiece {
  private readonly bytes: Buffer;
  private length = 0;

  constructor(declared: number) {
    this.bytes = Buffer.allocUnsafe(declared);
  }

  add(chunk: Buffer): void {
    this.length += chunk.copy(this.bytes, this.length);
  }

  /** Returns only the bytes that came: the memory beyond them may hold data of others. */
  whole(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/** The bytes of a body that does not say its length. Their memory is taken from the budget while they come. */
class CountedBytes extends GatheredBytes {
  constructor(private readonly request: FastifyRequest) {
    super();
  }

  override add(chunk: Buffer): void {
    const { routeOptions, reserved } = this.request;
    if (this.length + chunk.length > routeOptions.bodyLimit) throw tooLarge(routeOptions);
    reserved?.take(chunk.length);
    super.add(chunk);
  }
}
