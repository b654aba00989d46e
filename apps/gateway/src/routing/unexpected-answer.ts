import { Refusal } from '@codase/contracts';

interface Unexpected {
  status: number;
  /** The seconds that the answer asked to wait. */
  retryAfter?: number | undefined;
}

/** Whether the error is an answer that is not one of the platform's: of a newer platform, or of a proxy on the way. */
export const isUnexpected = (error: unknown): error is Unexpected => (error as Error | undefined)?.name === 'UnexpectedAnswer';

/**
 * Returns the refusal that a status stands for, when the answer carries no known key. The specification names no key for an expired token
 * and shows none for a limit, and a newer platform may have refusals of its own. An error that is no refusal is returned as it is.
 * @gap D1-7
 */
export function refusalByStatus(error: unknown): unknown {
  if (!isUnexpected(error) || error.status < 400 || error.status >= 500) return error;
  if (error.status === 401) return new Refusal('auth.token_invalid');
  if (error.status === 429) return new Refusal('rate_limit.exceeded').after(error.retryAfter ?? 1);
  return new Refusal('gateway.refusal_unknown').because(
    `The platform, or something before it, refused the call with HTTP ${error.status} and a reason that this version does not know`,
  );
}
