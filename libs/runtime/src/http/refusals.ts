import { HttpException } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { count, describeError, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { discardBody } from './discard-body.ts';
import { prefersHtml, formatFor } from './formats.ts';
import type { RefusedPage } from './serves.ts';
import { writePage } from './write-answer.ts';

/** Writes every refusal in the same way. An unexpected error is logged, counted and answered without any detail of it. */
export class Refusals {
  constructor(private readonly log: Log) {}

  /** Sends the refusal. A browser gets a page when the route has one. */
  send(request: FastifyRequest, reply: FastifyReply, error: unknown, page?: RefusedPage): FastifyReply {
    const refusal = this.refusalFor(error, request.routeOptions);
    if (!page || !prefersHtml(request.headers.accept)) return sendRefusal(reply, refusal);
    const form = request.routeOptions.config?.isFile ? undefined : request.body;
    return markRefusal(reply, refusal).send(writePage(reply, page(refusal, sentBy(request.query, form))));
  }

  /** Returns the refusal to answer an error with. An unexpected error is logged and counted here. */
  refusalFor(error: unknown, route?: RouteLimits): Refusal {
    const known = error instanceof Refusal ? error : frameworkRefusal(error, route);
    if (known) return known;
    count(RUNTIME_METRICS.unexpected, { 'error.type': describeError(error)['error.type'] });
    this.log.error('request failed', { error });
    return new Refusal('service.unavailable');
  }
}

/** The refusal for an error of Fastify or Nest, which refuse some requests before a handler sees them. */
function frameworkRefusal(error: unknown, route?: RouteLimits): Refusal | undefined {
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 404 || status === 405) return new Refusal('request.not_found');
  if (status === 413) return tooLarge(route);
  if (status === 415) return new Refusal('request.format_unsupported').because('Content-Type: must be a media type, as application/json');
  if (typeof status === 'number' && status >= 400 && status < 500) return notHttp(error);
  return undefined;
}

/** The most bytes of a route's bodies, and the refusal of a longer body. */
type RouteLimits = Pick<FastifyRequest['routeOptions'], 'bodyLimit' | 'config'>;

export const tooLarge = ({ bodyLimit, config }: Partial<RouteLimits> = {}): Refusal => {
  const refusal = new Refusal(config?.tooLarge ?? 'request.too_large');
  return bodyLimit === undefined ? refusal : refusal.because(`body: must have at most ${bodyLimit} bytes here`);
};

/** The refusal for what Fastify finds wrong before a route sees the request, in our own words. */
export const notHttp = (error: unknown): Refusal =>
  new Refusal('request.invalid').because(FAULTS[(error as { code?: string } | null)?.code ?? ''] ?? 'The request is not well-formed HTTP');

const FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'path: must be percent-encoded UTF-8',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length: must be the number of bytes of the body',
  FST_ERR_CTP_EMPTY_TYPE: 'Content-Type: must not be empty',
};

/** Sends a refusal. Fastify drops the content type on its way to an error handler, so it is set again. */
export const sendRefusal = (reply: FastifyReply, refusal: Refusal): FastifyReply =>
  markRefusal(reply, refusal).type(formatFor(reply.request).type).send(refusal.toBody());

/** How a token is sent: as a bearer token, or with a proof of the key that it is bound to (RFC 9449, 7.1). */
const TOKEN_CHALLENGE = 'Bearer, DPoP algs="ES256"';

function markRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  discardBody(reply.request.raw, reply.raw);
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (refusal.status === 401) reply.header('www-authenticate', refusal.key === 'oauth.invalid_client' ? 'Basic' : TOKEN_CHALLENGE);
  return reply.status(refusal.status);
}

/** The parameters of the form or the query, so that a page can show them again. */
function sentBy(query: unknown, body: unknown): Record<string, string> {
  const form = Buffer.isBuffer(body) ? Object.fromEntries(new URLSearchParams(body.toString('utf8'))) : {};
  const parameters = Object.entries((query ?? {}) as object).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { ...Object.fromEntries(parameters), ...form };
}
