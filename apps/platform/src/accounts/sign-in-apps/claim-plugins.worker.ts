import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ClaimPlugins } from './claim-plugins.service.ts';
import { companiesWithPlugins, listDue } from './claim-plugins.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const AT_ONCE = 10;
/** How many companies of a walk are looked at in one round: each may have 5 MB of claims. */
const COMPANIES_AT_ONCE = 3;
/** The pause from the begin of one walk through all companies to the next, and the pause after a walk in which something failed. */
const WALK_MS = { usual: 24 * 3_600_000, afterFailure: 10 * 60_000 } as const;

/**
 * Frees plugins that no claim uses any more, because a change of the app was interrupted. It also walks through the companies when it
 * starts and every day, and compares what is noted with their apps.
 */
@Injectable()
export class ClaimPluginsWorker extends PeriodicWorker {
  /** The last company of the walk that was looked at; undefined while no walk is under way. */
  private reached: string | undefined;
  private nextWalkAt = 0;
  private hasFailed = false;

  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly plugins: ClaimPlugins,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(
      { name: 'claim_plugins', everyMs: EVERY_MS, failure: 'the plugins of sign-in apps could not be compared with the front door' },
      log,
    );
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    const due = await listDue(this.db, this.clock.now(), AT_ONCE);
    const companies = await this.nextOfWalk();
    const comparisons = await Promise.allSettled(due.map((own) => this.plugins.compare(own)));
    const walked = await Promise.allSettled(companies.map((company_user_id) => this.plugins.compareAll(company_user_id)));
    this.hasFailed ||= walked.some(({ status }) => status === 'rejected');
    const ends = [...comparisons, ...walked];
    const compared = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const forgotten = compared.reduce((sum, one) => sum + one.forgotten, 0);
    const restored = compared.reduce((sum, one) => sum + one.restored, 0);
    if (forgotten > 0) count(METRICS.notesForgotten, {}, forgotten);
    if (restored > 0) count(METRICS.notesRestored, {}, restored);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Returns the companies that the walk looks at next. A walk in which something failed is soon begun again. */
  private async nextOfWalk(): Promise<string[]> {
    const now = this.clock.now().getTime();
    if (this.reached === undefined && now < this.nextWalkAt) return [];
    if (this.reached === undefined) [this.nextWalkAt, this.hasFailed] = [now + WALK_MS.usual, false];
    const companies = await companiesWithPlugins(this.db, this.reached ?? '', COMPANIES_AT_ONCE);
    this.reached = companies.at(-1);
    if (this.reached === undefined && this.hasFailed) this.nextWalkAt = now + WALK_MS.afterFailure;
    return companies;
  }
}
