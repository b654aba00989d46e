import { Refusal, retryAdvice } from '@codase/contracts';
import { callFailure, type CallFailure } from '@codase/runtime/resilience';
import { isUnexpected } from './unexpected-answer.ts';

/** The steps that were already taken for a call. Each step is taken once, except waiting, which has a bound. */
export interface Progress {
  renewed: boolean;
  rebased: boolean;
  repeated: boolean;
  waits: number;
}

export const noProgress = (): Progress => ({ renewed: false, rebased: false, repeated: false, waits: 0 });

/** What to do about a call that failed. */
export type Step =
  | { do: 'renew' }
  | { do: 'rebase'; api_url: string }
  | { do: 'wait'; ms: number }
  | { do: 'slow_down'; seconds: number }
  | { do: 'give_up' };

interface Failed {
  error: unknown;
  /** Whether the call may be repeated though nobody knows whether it took effect. */
  safe: boolean;
  progress: Progress;
  /** The base at which the call failed. */
  base: string;
}

const MAX_WAITS = 10;
/** The pause before a call is repeated after its connection failed. */
const BACKOFF_MS = 200;

/** Decides how to go on after a failure. Whether there is time for the step is not decided here. */
export function nextStep({ error, safe, progress, base }: Failed): Step {
  if (error instanceof Refusal && error.key !== 'service.unavailable') return afterRefusal(error, progress, base);
  const failure = failureOf(error);
  const mayRepeat = failure === 'unsent' || (failure === 'broken' && safe);
  return mayRepeat && !progress.repeated ? { do: 'wait', ms: BACKOFF_MS } : { do: 'give_up' };
}

/** Replaces a refused token once, and corrects a wrong base once. A second 421 is an error, not a loop. @spec D1-5.6 */
function afterRefusal(refusal: Refusal, progress: Progress, base: string): Step {
  const { key, retryAfter = 1 } = refusal;
  const api_url = newBase(refusal, base);
  if (key === 'auth.token_invalid' && !progress.renewed) return { do: 'renew' };
  if (api_url && !progress.rebased) return { do: 'rebase', api_url };
  if (progress.waits >= MAX_WAITS) return { do: 'give_up' };
  if (key === 'rate_limit.exceeded') return { do: 'slow_down', seconds: retryAfter };
  return isTimed(key) ? { do: 'wait', ms: retryAfter * 1000 } : { do: 'give_up' };
}

/** Whether the catalogue says that nothing was done, and after how long to repeat the call. @spec D1-7 */
function isTimed(key: Refusal['key']): boolean {
  const { retry, seconds } = retryAdvice(key);
  return retry === 'later' && seconds !== undefined;
}

/** Returns the error that the caller gets when there is nothing more to try: a refusal as it came, a failed connection as a refusal. */
export function finalError(error: unknown, safe: boolean): unknown {
  const failure = error instanceof Refusal ? undefined : failureOf(error);
  return failure ? new Refusal('service.unavailable').because(inWords(failure, safe)) : error;
}

/** Returns how a call failed. A server with an internal failure may have done anything, as when the connection broke. */
const failureOf = (error: unknown): CallFailure | undefined =>
  callFailure(error) ?? (isUnexpected(error) || (error instanceof Refusal && error.key === 'service.unavailable') ? 'broken' : undefined);

function inWords(failure: CallFailure, safe: boolean): string {
  if (failure === 'unsent') return 'The platform cannot be reached, and nothing was sent: repeat the call later';
  const what = failure === 'broken' ? 'The connection to the platform broke' : 'The platform did not answer in time';
  return safe ? `${what}: repeat the call later` : `${what}: the call may have taken effect, so look before you repeat it`;
}

/** Returns the base that a 421 names, if it is as well protected (https) as the base that named it. */
function newBase(refusal: Refusal, base: string): string | undefined {
  const { api_url } = refusal.extras as { api_url?: unknown };
  if (refusal.key !== 'region.rebase_required' || typeof api_url !== 'string' || !URL.canParse(api_url)) return undefined;
  const { protocol } = new URL(api_url);
  return protocol === 'https:' || (protocol === 'http:' && base.startsWith('http:')) ? api_url : undefined;
}
