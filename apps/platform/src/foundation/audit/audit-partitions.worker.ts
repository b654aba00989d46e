import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { AUDIT_DB, AUDIT_SETTINGS, type AuditSettings } from './audit.service.ts';
import { dropMonthsBefore, makeMonths } from './audit.store.ts';

const EVERY_MS = 60 * 60_000;
const AHEAD_MS = 62 * 24 * EVERY_MS;

/** Creates the partitions of the next two months, and drops those that are kept no longer. */
@Injectable()
export class AuditPartitions implements OnApplicationBootstrap, OnApplicationShutdown {
  private rotation: Repeated | undefined;

  constructor(
    @Inject(AUDIT_DB) private readonly db: Db,
    @Inject(AUDIT_SETTINGS) private readonly settings: AuditSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.rotation = repeat(() => this.rotate(), {
      name: 'audit_partitions',
      pauseMs: EVERY_MS,
      backoff: { firstMs: 60_000, longestMs: EVERY_MS },
      onFailure: (error) => this.log.warn('the partitions of the audit are left for later', { error }),
    });
    await this.rotation.first;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rotation?.stop();
  }

  async rotate(): Promise<void> {
    const now = this.clock.now();
    await makeMonths(this.db, now, new Date(now.getTime() + AHEAD_MS));
    await dropMonthsBefore(this.db, yearsBefore(now, this.settings.retentionYears));
  }
}

function yearsBefore(at: Date, years: number): Date {
  const earlier = new Date(at);
  earlier.setUTCFullYear(at.getUTCFullYear() - years);
  return earlier;
}
