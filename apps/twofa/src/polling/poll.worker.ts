import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CHALLENGE_GRACE_SECONDS, operation, Refusal, twofa, type PolledChallenge } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { repeat, retry, type Repeated } from '@codase/runtime/resilience';
import { DRAIN } from '@codase/runtime/service';
import { count, inSpan, linkTo, LOG, SpanKind, storedTrace, type Log } from '@codase/runtime/telemetry';
import { ChallengesStore, type RaisedLogin } from '../challenges/challenges.store.ts';
import { nextPollAt, signalOfAnswer, signalOfRefusal } from '../challenges/polls.ts';
import { METRICS } from '../metrics.ts';
import { OutcomesService } from './outcomes.service.ts';

/** How many polls are under way at once: few, so that a request to raise a challenge does not wait long behind them at the gateway. */
const AT_ONCE = 8;
const CLOSE_AT_ONCE = 200;
const ROUND_MS = 500;
const POLL_TIMEOUT_MS = 5_000;
/**
 * The platform answers an outcome once. So an outcome that cannot be recorded is tried again, for as long as a database takes to restart.
 * The pauses are shorter than `ROUND_MS`, so that no other replica polls before the outcome is recorded.
 */
const SETTLING = { backoff: { firstMs: 50, longestMs: 250 }, bound: { withinMs: 60_000 }, metric: METRICS.settleRetried };

/** Polls open challenges, at once when an event came, and closes those whose time is over. @spec D1-4.5 */
@Injectable()
export class PollWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private running: Repeated | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly store: ChallengesStore,
    private readonly outcomes: OutcomesService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(DRAIN) drain: AbortSignal,
  ) {
    // A poll consumes the outcome of its challenge, so none may begin that the end of the process could cut off.
    drain.addEventListener('abort', () => void this.running?.stop());
  }

  onApplicationBootstrap(): void {
    this.running = repeat(() => this.round(), {
      name: 'poll_challenges',
      pauseMs: ROUND_MS,
      onFailure: (error) => this.log.error('challenges cannot be polled now', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.stop();
    await Promise.all(this.underWay);
  }

  /** Begins a round now, because there is something to poll. */
  wake(): void {
    this.running?.wake();
  }

  /** Begins the polls that are due, as many as may run at once. The round does not wait for them: a poll that hangs holds up no other. */
  private async round(): Promise<void> {
    await this.closeOverdue();
    const free = AT_ONCE - this.underWay.size;
    const claimed = free > 0 ? await this.store.claim(free) : [];
    for (const login of claimed) this.begin(login);
  }

  /** Closes challenges by the clock alone: an asker waits no longer, whether the platform can be reached or not. */
  private async closeOverdue(): Promise<void> {
    const endedBefore = new Date(this.clock.now().getTime() - CHALLENGE_GRACE_SECONDS * 1000);
    for (const login of await this.store.overdue(endedBefore, CLOSE_AT_ONCE)) await this.outcomes.settle(login, 'close');
  }

  private begin(login: RaisedLogin): void {
    const facts = { 'codase.service': login.service };
    const poll = this.poll(login)
      .catch((error: unknown) => this.log.error('what a poll answered could not be recorded', { ...facts, error }))
      .finally(() => {
        this.underWay.delete(poll);
        if (this.underWay.size === AT_ONCE - 1) this.wake();
      });
    this.underWay.add(poll);
  }

  /** Polls in the trace of the login, with a link to the event that brought the poll forward. */
  private poll(login: RaisedLogin): Promise<void> {
    const { traceparent, event_traceparent, service } = login;
    const options = {
      kind: SpanKind.INTERNAL,
      parent: storedTrace(traceparent),
      links: event_traceparent === null ? [] : linkTo(storedTrace(event_traceparent)),
      attributes: { 'codase.service': service },
    };
    return inSpan('poll challenge', options, () => this.pollOnce(login));
  }

  private async pollOnce(login: RaisedLogin): Promise<void> {
    count(METRICS.polls, { 'codase.service': login.service });
    const answer = await this.ask(login).catch((error: unknown) => this.failed(login, error));
    if (!answer) return;
    const now = this.clock.now();
    const signal = signalOfAnswer(answer.status, login.expires_at, now);
    const completed_at = 'completed_at' in answer ? new Date(answer.completed_at) : now;
    // To settle a login twice changes nothing, so it is repeated after any error.
    if (signal) await retry(() => this.outcomes.settle(login, signal, completed_at), { ...SETTLING, isWorth: () => true });
    else await this.store.release(login, nextPollAt(now, login.polls, login.expires_at));
  }

  private ask({ service, challenge_id }: RaisedLogin): Promise<PolledChallenge> {
    const request = { params: { challenge_id } };
    return this.bus.request(operation(twofa.pollChallenge), { service }, request, { timeout: POLL_TIMEOUT_MS }) as Promise<PolledChallenge>;
  }

  /** Handles a failed poll. A challenge without an answer is polled again, and that poll shows whether the outcome was consumed. */
  private async failed(login: RaisedLogin, error: unknown): Promise<undefined> {
    const signal = signalOfRefusal(error);
    if (signal) return void (await this.outcomes.settle(login, signal));
    const key = error instanceof Refusal ? error.key : 'service.unavailable';
    count(METRICS.pollsFailed, { 'codase.service': login.service, 'codase.error_key': key });
    this.log.warn('a challenge could not be polled', { 'codase.service': login.service, 'codase.error_key': key, error });
    await this.store.release(login, nextPollAt(this.clock.now(), 1, login.expires_at));
  }
}
