import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { SlotChanges } from './slot-changes.service.ts';
import { listCustomersDue } from './slot-changes.store.ts';

/** Most changes are delivered when they are made, so the worker looks less often while none is due. */
const SCHEDULE = { name: 'slot_changes', everyMs: 1000, idleMs: 5000, failure: 'pending changes of slots could not be delivered' };
const CUSTOMERS_AT_ONCE = 20;

/** Delivers changes of slots that could not be delivered when they were made. @gap D1-6.1 */
@Injectable()
export class SlotChangesWorker extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly changes: SlotChanges,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(SCHEDULE, log);
  }

  /** Returns whether a change was due. */
  async round(): Promise<boolean> {
    if (this.mode.isPaused()) return false;
    const customers = await listCustomersDue(this.db, this.clock.now(), CUSTOMERS_AT_ONCE);
    await Promise.all(customers.map((user_id) => this.changes.deliver(user_id)));
    return customers.length > 0;
  }
}
