import { Inject, Injectable } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { backoffMs } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { DeletionsStore, type PendingDeletion } from './deletions.store.ts';
import { METRICS } from './metrics.ts';

/** The worker is woken for a new deletion, so it looks less often while none waits. */
const SCHEDULE = { name: 'account_deletion', everyMs: 1000, idleMs: 5000, failure: 'deletions of accounts could not be looked for' };
const AT_ONCE = 20;
/** How long no other replica takes a claimed deletion, because the attempt may still be under way. */
const ATTEMPT_MS = 30_000;
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };

/**
 * Lets every region delete what it has of a deleted account, for as long as that takes. A region that does not answer, or a company that
 * moves, does not hold up other deletions. A region may be asked twice. @gap D1-5.8
 */
@Injectable()
export class AccountDeletionWorker extends PeriodicWorker {
  constructor(
    private readonly store: DeletionsStore,
    private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(SCHEDULE, log);
  }

  /** Returns whether a deletion was due. */
  async round(): Promise<boolean> {
    const due = await this.store.claim(this.clock.now(), this.in(ATTEMPT_MS), AT_ONCE);
    await Promise.all(due.map((deletion) => this.makeEverywhere(deletion)));
    return due.length > 0;
  }

  private async makeEverywhere(deletion: PendingDeletion): Promise<void> {
    const { user_id, attempts, regions_left } = deletion;
    const all = this.bases.regions.map(({ region }) => region);
    const made = await Promise.all((regions_left ?? all).map((region) => this.makeIn(region, deletion, all)));
    if (made.includes(false)) await this.store.postpone(user_id, this.in(backoffMs(BACKOFF, attempts)));
  }

  private async makeIn(region: string, { user_id, deleted_at, attempts }: PendingDeletion, all: readonly string[]): Promise<boolean> {
    try {
      await this.bus.request(REGION.deleteAccount, { region }, { user_id, deleted_at: deleted_at.toISOString() });
      if ((await this.store.madeIn(user_id, region, all)) === 0) count(METRICS.accountsDeleted);
      return true;
    } catch (error) {
      count(METRICS.deletionsPostponed, { 'codase.region': region });
      this.log.warn('the deletion of an account waits for a region', { 'codase.region': region, 'codase.attempt': attempts, error });
      return false;
    }
  }

  private in(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}
