import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { isTransient, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { MoveSteps } from './move-steps.service.ts';
import { MovesStore, type Move } from './moves.store.ts';
import { afterFailure } from './step-table.ts';
import { METRICS } from './metrics.ts';

/** The pauses between two looks for moves. The worker is woken for a new move, so it looks less often while there are none. */
const CHECK_MS = { moving: 1000, idle: 5000 } as const;
/**
 * How many moves this process works on at once; each holds a connection. A company is closed for writes from the begin of its move to the
 * end, so a move begins only when all that have begun have room too, also those that wait to be tried again.
 */
const MAX_AT_ONCE = 3;
const MAX_SEEN = 50;

/** Completes every move, also the moves of a front door that died. @gap D1-5.6 */
@Injectable()
export class MovesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly inHand = new Map<string, Promise<void>>();
  private checking: Repeated | undefined;
  private readonly leaving = new AbortController();

  constructor(
    private readonly moves: MovesStore,
    private readonly steps: MoveSteps,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.checking = repeat(() => this.check(), {
      name: 'moves',
      pauseMs: (areMoving) => (areMoving ? CHECK_MS.moving : CHECK_MS.idle),
      backoff: { firstMs: CHECK_MS.moving, longestMs: CHECK_MS.moving },
      onFailure: (error) => this.log.error('moves could not be looked for', { error }),
    });
  }

  /** Stops the work on moves. Another front door goes on with them, or this one after its next start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await this.checking?.stop();
    await Promise.all(this.inHand.values());
  }

  /** Starts the next round at once, because there is a new move. */
  wake(): void {
    this.checking?.wake();
  }

  /** Begins work on the moves that are due. Returns whether there are any moves. */
  private async check(): Promise<boolean> {
    const moves = await this.moves.first(this.clock.now(), MAX_SEEN);
    const others = moves.filter(({ user_id }) => !this.inHand.has(user_id));
    const waiting = others.filter(({ is_due, is_closed }) => is_closed && !is_due).length;
    for (const { user_id, is_due, is_closed } of others) {
      const hasCapacity = this.inHand.size + (is_closed ? 0 : waiting) < MAX_AT_ONCE;
      if (is_due && hasCapacity) await this.takeInHand(user_id);
    }
    return moves.length > 0;
  }

  /** Works on a move, unless another front door does. */
  private async takeInHand(user_id: string): Promise<void> {
    if (this.leaving.signal.aborted) return;
    const release = await this.moves.hold(user_id);
    if (!release) return;
    const work = this.goOn(user_id)
      .finally(release)
      .catch((error: unknown) => this.log.error('a move was left for later', { error }))
      .finally(() => this.inHand.delete(user_id));
    this.inHand.set(user_id, work);
  }

  /** Takes step after step, until the move is complete or has to wait. */
  private async goOn(user_id: string): Promise<void> {
    while (!this.leaving.signal.aborted) {
      const move = await this.moves.takeTurn(user_id, this.clock.now());
      if (!move || !(await this.step(move))) return;
    }
  }

  private async step(move: Move): Promise<boolean> {
    try {
      const isMine = await this.steps.take(move, this.leaving.signal);
      if (isMine) this.report(move);
      return isMine;
    } catch (error) {
      await this.setBack(move, error);
      return true;
    }
  }

  private async setBack(move: Move, error: unknown): Promise<void> {
    // An error that is not a refusal may be transient, such as a deadlock.
    const failure = { attempts: move.attempts, isTransient: !(error instanceof Refusal) || isTransient(error) };
    const { step, waitMs } = afterFailure(move.step, failure);
    await this.moves.setBack(move, { step, due: new Date(this.clock.now().getTime() + waitMs) });
    count(METRICS.moveFailures, { 'codase.region': move.to_region });
    const message = step === 'returning' ? 'a company cannot move and stays' : 'a step of a move failed and is tried again';
    this.log.warn(message, { 'codase.region': move.to_region, 'codase.attempt': move.attempts, error });
  }

  private report({ step, to_region }: Move): void {
    if (step !== 'arriving') return;
    count(METRICS.companiesMoved, { 'codase.region': to_region });
    this.log.info('a company has moved', { 'codase.region': to_region });
  }
}
