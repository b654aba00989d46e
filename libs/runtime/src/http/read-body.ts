import type { IncomingMessage } from 'node:http';
import { Refusal } from '@cds/contracts';
import type { FastifyRequest } from 'fastify';
import { tooLarge } from './refusals.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a body may take to come; absent, as long as the whole request may. */
    bodyMs?: number;
  }
}

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Gathers a body. Memory for it was taken when the request was admitted, or is taken while it comes where it does not say its length. It
 * lies in one piece from the start where its length is known, and never twice.
 */
export function readBody(request: FastifyRequest, body: IncomingMessage, done: Done): void {
  const { bodyLimit, config } = request.routeOptions;
  const { bodyMs } = config;
  const declared = request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);
  if ((declared ?? 0) > bodyLimit) return done(tooLarge(bodyLimit));
  const gathered = declared === undefined ? new Chunks(bodyLimit, request) : new OnePiece(declared);
  const late = bodyMs === undefined ? undefined : setTimeout(() => end(new Refusal('request.timeout')), bodyMs);
  const end = (error: Error | null) => {
    clearTimeout(late);
    body.off('data', take).off('end', whole).off('error', broken).off('close', broken);
    if (error) done(error);
    else done(null, gathered.whole());
  };
  const take = (chunk: Buffer) => {
    try {
      gathered.add(chunk);
    } catch (error) {
      end(error as Error);
    }
  };
  const whole = () => end(null);
  const broken = () => end(Object.assign(new Error('The body broke off'), { statusCode: 400 }));
  if (body.destroyed) return broken();
  body.on('data', take).on('end', whole).on('error', broken).on('close', broken);
}

class OnePiece {
  private readonly bytes: Buffer;
  private length = 0;

  constructor(declared: number) {
    this.bytes = Buffer.allocUnsafe(declared);
  }

  add(chunk: Buffer): void {
    this.length += chunk.copy(this.bytes, this.length);
  }

  /** What came and no more: memory beyond it was somebody else's. */
  whole(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

class Chunks {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    private readonly most: number,
    private readonly request: FastifyRequest,
  ) {}

  add(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length > this.most) throw tooLarge(this.most);
    this.request.held?.take(chunk.length);
    this.chunks.push(chunk);
  }

  whole(): Buffer {
    return Buffer.concat(this.chunks.splice(0), this.length);
  }
}
