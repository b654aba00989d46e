import { CHALLENGE_GRACE_SECONDS, RAISE_CHALLENGE, READ_CHALLENGE, READ_WAIT_SECONDS, Refusal, type LoginOutcome } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import type { Clock } from '@codase/runtime/clock';
import { isTransient, poll, retry } from '@codase/runtime/resilience';
import { inSpan, SpanKind, type Log } from '@codase/runtime/telemetry';
import { runCallback } from './callback.ts';
import { METRICS } from './metrics.ts';
import { throwIfAborted, unlessAborted, type Signals } from './unless-aborted.ts';

/** The person to ask, and the login to ask about. */
export interface ChallengeRequest {
  share_code: string;
  /** The one line that the person reads on the phone. It says what is approved. */
  context: string;
  /** A new key for each login. Give the same key again when you ask again about the same login. */
  key: string;
}

/** The challenge, as soon as the person is asked. */
export interface Raised {
  challenge_id: string;
  expires_at: string;
  /** The digits to show where the login was begun: the person types them on the phone. Undefined without number matching. */
  matching_digits?: string | undefined;
}

export interface ChallengeOptions {
  /** Called once, as soon as the person is asked: show the digits now. It may be async. Its failure is logged, and the wait goes on. */
  onRaised?(raised: Raised): unknown;
  /** Stops the wait. The login is then not approved. */
  signal?: AbortSignal;
  /** How long to try to raise the challenge. */
  timeoutMs?: number;
}

/** How a login ended. Let the login in only when `approved` is true. Otherwise `status` says why not. */
export interface LoginResult {
  approved: boolean;
  /** `unanswered`: no outcome could be read before the challenge was over. */
  status: LoginOutcome | 'unanswered';
  challenge_id: string;
}

const RAISE_TIMEOUT_MS = 45_000;
const ATTEMPT_MS = 15_000;
const BACKOFF = { firstMs: 250, longestMs: 2_000, jitter: 0.2 };
/** How much longer than its own wait a read may take. After this time no reply will come. */
const REPLY_MS = 5_000;
/** The pause between two reads. */
const PAUSE_MS = 250;
/** Extra wait for the outcome: the clock of the twofa service may be a little behind. After it, nothing is approved any more. */
const MARGIN_MS = 15_000;

interface Parts {
  bus: Bus;
  service: string;
  clock: Clock;
  log: Log;
  /** Aborted when the client is closed. */
  closing: AbortSignal;
}

const isEnded = (ends: Signals): boolean => ends.some((signal) => signal?.aborted);

/** Asks a person to approve a login, and waits for the outcome. @spec D1-4.5 */
export const challenge = (parts: Parts, request: ChallengeRequest, options: ChallengeOptions = {}): Promise<LoginResult> =>
  inSpan('challenge', { kind: SpanKind.INTERNAL, attributes: { 'codase.service': parts.service } }, async (span) => {
    const ends = [options.signal, parts.closing]; // the caller gives up, or the client is closed
    const raised = await unlessAborted(ends, () => raise(parts, request, options.timeoutMs ?? RAISE_TIMEOUT_MS, ends));
    const { challenge_id, status, expires_at, matching_digits } = raised;
    const show = () => options.onRaised?.({ challenge_id, expires_at, matching_digits });
    // Not awaited: the person may answer while the digits are still on their way to the page.
    if (status === 'pending') void runCallback(parts, 'onRaised of a challenge failed', show);
    const ended = status === 'pending' ? await unlessAborted(ends, () => waitForOutcome(parts, raised, ends)) : status;
    span.setAttribute('codase.outcome', ended);
    return { approved: ended === 'approved', status: ended, challenge_id };
  });

/** Raises the challenge, with retries. The key makes a repeat harmless: when a reply was lost, the same challenge is returned. */
function raise({ bus, service }: Parts, { share_code, context, key }: ChallengeRequest, withinMs: number, ends: Signals) {
  const message = { share_code, context, idempotency_key: key };
  const endsAt = performance.now() + withinMs;
  return retry(
    () => {
      throwIfAborted(ends);
      const timeout = Math.max(1, Math.min(ATTEMPT_MS, endsAt - performance.now()));
      return bus.request(RAISE_CHALLENGE, { service }, message, { timeout });
    },
    {
      backoff: BACKOFF,
      bound: { withinMs },
      metric: METRICS.challengeRetried,
      isWorth: (error) => !isEnded(ends) && isUnavailable(error),
    },
  );
}

const UNAVAILABLE = ['service.unavailable', 'twofa.unavailable'];
const isUnavailable = (error: unknown): boolean => (error instanceof Refusal ? UNAVAILABLE.includes(error.key) : isTransient(error));

/** Waits for the outcome in several short reads, so that a restart of any service in between costs one read at most. */
async function waitForOutcome(
  { bus, service, clock, log }: Parts,
  { challenge_id, expires_at }: Raised,
  ends: Signals,
): Promise<LoginResult['status']> {
  const leftMs = new Date(expires_at).getTime() - clock.now().getTime();
  const withinMs = leftMs + CHALLENGE_GRACE_SECONDS * 1000 + MARGIN_MS;
  const endsAt = performance.now() + withinMs;
  const read = async () => {
    throwIfAborted(ends);
    const untilEndMs = Math.max(1, endsAt - performance.now()); // no read lasts longer, its reply included
    const wait_seconds = Math.min(READ_WAIT_SECONDS, Math.max(0, untilEndMs - REPLY_MS) / 1000);
    const timeout = Math.min(wait_seconds * 1000 + REPLY_MS, untilEndMs);
    const { status } = await bus.request(READ_CHALLENGE, { service }, { challenge_id, wait_seconds }, { timeout });
    return status === 'pending' ? undefined : status;
  };
  const readAgain = () =>
    retry(read, {
      backoff: BACKOFF,
      bound: { withinMs: Math.max(0, endsAt - performance.now()) },
      metric: METRICS.challengeReadRetried,
      isWorth: (error) => !isEnded(ends) && isNoOutcome(error),
      onRetry: (error, attempts) =>
        log.warn('the outcome of a challenge could not be read and is read again', { 'codase.attempt': attempts, error }),
    });
  return (await poll(() => readAgain().catch(withoutOutcome), { everyMs: PAUSE_MS, withinMs })) ?? 'unanswered';
}

/** Whether a failed read is worth another one. Every error is, except that the challenge does not exist: a read of it can never succeed. */
const isNoOutcome = (error: unknown): boolean => !(error instanceof Refusal && error.key === 'twofa.challenge_not_found');

/** Returns `unanswered` when the time is over, and `failed` when there is no such challenge. */
const withoutOutcome = (error: unknown): 'failed' | 'unanswered' => (isNoOutcome(error) ? 'unanswered' : 'failed');
