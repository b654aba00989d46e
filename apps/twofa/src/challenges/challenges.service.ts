import { Inject, Injectable } from '@nestjs/common';
import { operation, READ_WAIT_SECONDS, Refusal, retryAdvice, twofa, type NewChallenge, type RaisedChallenge } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { retry, WaitingReads } from '@codase/runtime/resilience';
import { DRAIN } from '@codase/runtime/service';
import { activeTraceparent, count } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { ChallengesStore, type Login, type RaisedLogin, type Requested } from './challenges.store.ts';
import { isOutcome } from './login-state.ts';
import { bodyDigest, platformKey } from './request-keys.ts';

/** The service and user that ask, and how long they wait for the answer. */
interface Asker {
  service: string;
  user: string | undefined;
  withinMs: number | undefined;
}

/** How long an answered key may be repeated. This is for an asker that lost the answer, not for the next login. */
const REPEATABLE_MS = 10 * 60_000;
const USUAL_MS = 30_000;
/** The part of the asker's time that twofa uses. The rest is for the way back. */
const OURS = 0.9;
/** The longest a single attempt waits, so that there is time for another. */
const ATTEMPT_MS = 15_000;
const BACKOFF = { firstMs: 250, longestMs: 2_000, jitter: 0.2 };

/** Raises challenges for internal services, and returns how a challenge stands. */
@Injectable()
export class ChallengesService {
  readonly waiting = new WaitingReads();

  constructor(
    private readonly bus: Bus,
    private readonly store: ChallengesStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(DRAIN) drain: AbortSignal,
  ) {
    // Waiting reads are answered at once, and their challenges are still pending: the shutdown waits for the requests in hand.
    drain.addEventListener('abort', () => this.waiting.close());
  }

  /**
   * Raises a challenge and returns when the platform has raised it. A crash before that leaves a row without a challenge: the asker repeats
   * the request with the same key, since the context is stored nowhere, and the platform answers with the challenge that it may have
   * raised. @spec D1-4.5
   */
  async raise({ service, user = '', withinMs = USUAL_MS }: Asker, challenge: NewChallenge) {
    const request: Requested = {
      service,
      asker: user,
      platform_key: platformKey(user, challenge),
      body_digest: bodyDigest(challenge),
      traceparent: activeTraceparent(),
    };
    const standing = await this.store.request(request);
    if (standing.body_digest !== request.body_digest) throw new Refusal('twofa.idempotency_conflict');
    if (isOutcome(standing.state)) return this.repeated(standing as RaisedLogin);
    const raised = await this.atPlatform(standing, { ...challenge, idempotency_key: request.platform_key }, withinMs * OURS);
    const { login, isNew } = await this.store.raised(request, { ...raised, expires_at: new Date(raised.expires_at) });
    if (isNew) count(METRICS.raised, { 'codase.service': service });
    const digits = raised.matching_digits === undefined ? {} : { matching_digits: raised.matching_digits };
    return { ...present(login), ...(login.state === 'pending' && digits) };
  }

  /** Returns how a challenge stands, now or when it has its outcome. */
  async read({ service, user = '', withinMs = USUAL_MS }: Asker, challenge_id: string, wait_seconds: number) {
    const find = async () => {
      const login = await this.store.find(service, user, challenge_id);
      if (!login) throw new Refusal('twofa.challenge_not_found');
      return login;
    };
    const login = await find();
    const waitMs = Math.min(1000 * Math.min(wait_seconds, READ_WAIT_SECONDS), withinMs * OURS);
    if (isOutcome(login.state) || waitMs <= 0) return present(login);
    if (this.waiting.isFull) count(METRICS.readsUnqueued, { 'codase.service': service });
    await this.waiting.wait(login.id, waitMs);
    return present(await find());
  }

  /** Returns the outcome to a repeated request, if it is recent: an old approval must not let in a new login that uses its key again. */
  private repeated(login: RaisedLogin) {
    const age = this.clock.now().getTime() - login.completed_at!.getTime();
    if (age > REPEATABLE_MS) throw new Refusal('twofa.result_consumed');
    return present(login);
  }

  /** Raises the challenge at the platform. The platform knows the key, so an attempt that may have taken effect can be repeated. */
  private async atPlatform(standing: Login, body: NewChallenge, withinMs: number): Promise<RaisedChallenge> {
    const endsAt = performance.now() + withinMs;
    const attempt = () => {
      const timeout = Math.max(1, Math.min(ATTEMPT_MS, endsAt - performance.now()));
      return this.bus.request(operation(twofa.raiseChallenge), { service: standing.service }, { body }, { timeout });
    };
    try {
      return (await retry(attempt, {
        backoff: BACKOFF,
        bound: { withinMs },
        metric: METRICS.raiseRetried,
        isWorth: isInDoubt,
      })) as RaisedChallenge;
    } catch (error) {
      if (!isInDoubt(error)) await this.store.refused(standing);
      throw error;
    }
  }
}

/** Whether there may be a challenge, though the platform did not say so. */
const isInDoubt = (error: unknown): boolean =>
  !(error instanceof Refusal) || retryAdvice(error.key).retry === 'in_doubt' || error.key === 'twofa.unavailable';

const present = ({ challenge_id, state, expires_at, completed_at }: RaisedLogin) => ({
  challenge_id,
  status: state === 'requested' ? ('pending' as const) : state,
  expires_at: expires_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
});
