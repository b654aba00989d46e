import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '@cds/contracts';
import type { FastifyRequest } from 'fastify';
import { bodyDeadlines } from './body-deadlines.ts';
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
  const gathered = declared === undefined ? new Chunks(request) : new OnePiece(declared);
  let isOver = false;
  const end = (error: Error | null) => {
    if (isOver) return;
    isOver = true;
    bodyDeadlines.delete(end);
    if (error) done(error);
    else done(null, gathered.whole());
  };
  const take = (chunk: Buffer) => {
    if (isOver) return;
    try {
      gathered.add(chunk);
    } catch (error) {
      end(error as Error);
    }
  };
  if (config.bodyMs !== undefined) bodyDeadlines.add(end, performance.now() + config.bodyMs);
  body
    .on('data', take)
    .on('end', () => end(null))
    .on('close', () => void (isOver || end(brokenOff()))); // every body is closed in the end: an error for each would cost its stack
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

class Chunks {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly request: FastifyRequest) {}

  add(chunk: Buffer): void {
    this.length += chunk.length;
    const { routeOptions } = this.request;
    if (this.length > routeOptions.bodyLimit) throw tooLarge(routeOptions);
    this.request.held?.take(chunk.length);
    this.chunks.push(chunk);
  }

  whole(): Buffer {
    return Buffer.concat(this.chunks.splice(0), this.length);
  }
}
