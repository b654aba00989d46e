import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Refusal } from '@cds/contracts';
import { count, describeError, type Log } from '../telemetry/index.ts';

/** Prints every refusal the same way. What nobody foresaw is logged, counted and answered without a word of its inside. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    sendRefusal(host.switchToHttp().getResponse<FastifyReply>(), this.refusalFor(error));
  }

  refusalFor(error: unknown): Refusal {
    const known = error instanceof Refusal ? error : frameworkRefusal(error);
    if (known) return known;
    count('unexpected', { 'error.type': describeError(error)['error.type'] });
    this.log.error('request failed', { error });
    return new Refusal('service.unavailable');
  }
}

/** Fastify and Nest refuse some requests before a handler sees them. */
function frameworkRefusal(error: unknown): Refusal | undefined {
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 404 || status === 405) return new Refusal('request.not_found');
  if (status === 413) return new Refusal('request.too_large');
  if (status === 415) return new Refusal('request.format_unsupported');
  if (typeof status === 'number' && status >= 400 && status < 500) return new Refusal('request.invalid');
  return undefined;
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): void {
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (refusal.status === 401) reply.header('www-authenticate', refusal.key === 'oauth.invalid_client' ? 'Basic' : 'Bearer');
  reply.status(refusal.status).send(refusal.toBody());
}
