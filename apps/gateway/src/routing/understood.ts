import { Refusal } from '@cds/contracts';
import { UnexpectedAnswer } from '@cds/runtime/http';

/**
 * What an answer means that carries none of the keys we know. The specification names no key for an expired token and shows none for a limit, and a
 * newer platform may have refusals of its own: then the status says what to do. What is no refusal stays as it is. @gap D1-7
 */
export function understood(error: unknown): unknown {
  if (!(error instanceof UnexpectedAnswer) || error.status < 400 || error.status >= 500) return error;
  if (error.status === 401) return new Refusal('auth.token_invalid');
  if (error.status === 429) return new Refusal('rate_limit.exceeded').after(error.retryAfter ?? 1);
  return new Refusal('platform.refusal_unknown').because(`The platform, or something before it, refused the call with HTTP ${error.status} and a reason that this version does not know`);
}
