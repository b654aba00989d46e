import type { FastifyRequest } from 'fastify';
import { JSON_FORMAT, type Format } from './formats.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The format of the answer; null until it was negotiated. */
    answerFormat: Format | null;
  }
}

/** The format in which a request is answered. */
export const formatFor = (request: FastifyRequest): Format => request.answerFormat ?? JSON_FORMAT;
