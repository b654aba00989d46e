import { CHALLENGE_GRACE_SECONDS, RAISE_CHALLENGE, READ_CHALLENGE, READ_WAIT_SECONDS, Refusal, type LoginOutcome } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import type { Clock } from '@cds/runtime/clock';
import { isTransient, poll, retry } from '@cds/runtime/resilience';
import { inSpan, SpanKind, type Log } from '@cds/runtime/telemetry';
import { METRICS } from './metrics.ts';

/** Whom to ask about which login. */
export interface ChallengeRequest {
  share_code: string;
  /** What the person reads on the phone: one line, which says what is approved. */
  context: string;
  /** New for each login, and the same where a login is asked about again. */
  key: string;
}

/** What stands as soon as the person is asked. */
export interface Raised {
  challenge_id: string;
  expires_at: string;
  /** To be shown where the login was begun, if there are any: the person types them. */
  matching_digits?: string | undefined;
}

export interface ChallengeOptions {
  /** Called once, as soon as the person is asked: show the digits. */
  onRaised?(raised: Raised): void;
  /** Stops waiting; nothing is approved. */
  signal?: AbortSignal;
  /** How long to try to raise it. */
  timeoutMs?: number;
}

/** How a login ended. Let it in where `approved` is true and on nothing else; `status` says why not. */
export interface LoginResult {
  approved: boolean;
  /** `unanswered`: no outcome could be had in the life of the challenge. */
  status: LoginOutcome | 'unanswered';
  challenge_id: string;
}

const RAISE_TIMEOUT_MS = 45_000;
const ATTEMPT_MS = 15_000;
const BACKOFF = { firstMs: 250, longestMs: 2_000, jitter: 0.2 };
/** A read is answered after its wait; beyond this much more there will be no answer. */
const REPLY_MS = 5_000;
/** Between two reads. */
const PAUSE_MS = 250;
/** The service closes a challenge by its own clock, and may be a little behind; after that nothing is approved any more. */
const MARGIN_MS = 15_000;

interface Parts {
  bus: Bus;
  service: string;
  clock: Clock;
  log: Log;
}

/** Asks a person to approve a login, and waits for the outcome. @spec D1-4.5 */
export const challenge = (parts: Parts, request: ChallengeRequest, options: ChallengeOptions = {}): Promise<LoginResult> =>
  inSpan('challenge', { kind: SpanKind.INTERNAL, attributes: { 'cds.service': parts.service } }, async (span) => {
    options.signal?.throwIfAborted();
    const raised = await unlessAborted(options.signal, raise(parts, request, options.timeoutMs ?? RAISE_TIMEOUT_MS));
    const { challenge_id, status, expires_at, matching_digits } = raised;
    if (status === 'pending') options.onRaised?.({ challenge_id, expires_at, matching_digits });
    const ended = status === 'pending' ? await unlessAborted(options.signal, waitForOutcome(parts, raised)) : status;
    span.setAttribute('cds.outcome', ended);
    return { approved: ended === 'approved', status: ended, challenge_id };
  });

/** The key makes a repeat harmless: a challenge that was raised and whose answer was lost is answered again. */
function raise({ bus, service }: Parts, { share_code, context, key }: ChallengeRequest, withinMs: number) {
  const message = { share_code, context, idempotency_key: key };
  const endsAt = performance.now() + withinMs;
  return retry(
    () => {
      const timeout = Math.max(1, Math.min(ATTEMPT_MS, endsAt - performance.now()));
      return bus.request(RAISE_CHALLENGE, { service }, message, { timeout });
    },
    { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.challengeRetried, isWorth: isUnavailable },
  );
}

const UNAVAILABLE = ['service.unavailable', 'twofa.unavailable'];
const isUnavailable = (error: unknown): boolean => (error instanceof Refusal ? UNAVAILABLE.includes(error.key) : isTransient(error));

/** Read after read, so that a restart of anything in between costs no more than one of them. */
async function waitForOutcome({ bus, service, clock, log }: Parts, { challenge_id, expires_at }: Raised): Promise<LoginResult['status']> {
  const leftMs = new Date(expires_at).getTime() - clock.now().getTime();
  const withinMs = leftMs + CHALLENGE_GRACE_SECONDS * 1000 + MARGIN_MS;
  const endsAt = performance.now() + withinMs;
  const read = async () => {
    const untilEndMs = Math.max(1, endsAt - performance.now()); // no read goes on beyond it, not even for its reply
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
      isWorth: isNoOutcome,
      onRetry: (error, attempts) =>
        log.warn('the outcome of a challenge could not be read and is read again', { 'cds.attempt': attempts, error }),
    });
  return (await poll(() => readAgain().catch(withoutOutcome), { everyMs: PAUSE_MS, withinMs })) ?? 'unanswered';
}

/** A read that fails is no outcome, whatever the error: it is asked again. One that can never be answered is none either. */
const isNoOutcome = (error: unknown): boolean => !(error instanceof Refusal && error.key === 'twofa.challenge_not_found');

/** The time is over, or there is no such challenge. */
const withoutOutcome = (error: unknown): 'failed' | 'unanswered' => (isNoOutcome(error) ? 'unanswered' : 'failed');

/** Work that is cancelled runs on unheard; what it would have answered is nobody's. */
async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
    work.catch(() => undefined);
  }
}
