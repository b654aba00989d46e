import type { FastifyRequest } from 'fastify';
import { JSON_FORMAT, type Format } from './formats.ts';

const formats = new WeakMap<FastifyRequest, Format>();

/** Notes how the answer to a request is to be written. */
export const answerIn = (request: FastifyRequest, format: Format): void => void formats.set(request, format);

/** How the answer to a request is written. */
export const formatFor = (request: FastifyRequest): Format => formats.get(request) ?? JSON_FORMAT;
