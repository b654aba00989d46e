import type { FastifyRequest } from 'fastify';
import { JSON_FORMAT, type Format } from './formats.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How its answer is to be written; null until that was negotiated. */
    answerFormat: Format | null;
  }
}

/** How the answer to a request is written. */
export const formatFor = (request: FastifyRequest): Format => request.answerFormat ?? JSON_FORMAT;
