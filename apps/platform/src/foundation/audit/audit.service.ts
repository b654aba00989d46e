import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AUDIT_DONE } from '@codase/contracts';
import { currentInitiator, currentStatement, onBehalfOf } from '@codase/runtime/initiator';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { addEntries } from './audit.store.ts';
import { auditRow, OPERATOR_INITIATOR, type AddressPolicy, type AuditedAct, type RefusedAct } from './entry.ts';
import { METRICS } from './metrics.ts';
import { RefusedActs } from './refused-acts.ts';

/** The database whose audit this is: that of the front door, or that of the region. */
export const AUDIT_DB = Symbol('database of the audit');
export const AUDIT_SETTINGS = Symbol('settings of the audit');

export interface AuditSettings {
  addresses: AddressPolicy;
  retentionYears: number;
}

/** Does work as the operator, whatever initiator came with the request. */
export const asOperator = <T>(work: () => T): T => onBehalfOf({ user_id: OPERATOR_INITIATOR }, work);

const WRITE_EVERY_MS = 1000;
/** These limits allow about 170,000 rows a day and process, however many acts are refused. */
const LIMITS = { windowMs: 60_000, each: 10, all: 120 } as const;

/** Records who did what. @gap D1-8 */
@Injectable()
export class Audit implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly refusals = new RefusedActs(LIMITS);
  private writing: Repeated | undefined;

  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    @Inject(AUDIT_SETTINGS) private readonly settings: AuditSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.writing = repeat(() => this.flush(), {
      name: 'audit',
      pauseMs: WRITE_EVERY_MS,
      onFailure: (error) => this.log.error('refused acts could not be written to the audit: they are counted', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing?.stop();
    await this.write(true).catch((error: unknown) => this.log.error('the last refused acts are not in the audit', { error }));
  }

  /** Records an act in the transaction that does it: both are committed or neither. */
  async record(tx: EntityManager, act: AuditedAct): Promise<void> {
    await this.recordAll(tx, [act]);
  }

  /** Records an act that is done outside of the databases, in a transaction of its own. */
  recordAlone(act: AuditedAct): Promise<void> {
    return this.db.transaction((tx) => this.record(tx, act));
  }

  /** Records several acts in the transaction that does them, by one statement. What a device has signed over them is used up with that. */
  async recordAll(tx: EntityManager, acts: readonly AuditedAct[]): Promise<void> {
    if (acts.length === 0) return;
    const [initiator, statement, now] = [currentInitiator(), currentStatement(), this.clock.now()];
    await statement?.use(tx);
    await addEntries(
      tx,
      acts.map((act) => {
        const details = statement === undefined ? act.details : { ...act.details, statement: statement.text };
        return auditRow({ ...act, details, outcome: AUDIT_DONE }, initiator, now, this.settings.addresses);
      }),
    );
  }

  /** Notes a refused act, which has no transaction. It is written within a second, or only counted when there are too many. */
  refused(act: RefusedAct): void {
    count(METRICS.refused, { 'error.type': act.outcome });
    this.refusals.add(auditRow(act, currentInitiator(), this.clock.now(), this.settings.addresses));
  }

  /** Writes the acts that were refused until now. */
  flush(): Promise<void> {
    return this.write(false);
  }

  private async write(isEnd: boolean): Promise<void> {
    const rows = this.refusals.take(this.clock.now(), isEnd);
    if (rows.length === 0) return;
    await addEntries(this.db, rows).catch((error: unknown) => {
      this.refusals.putBack(rows);
      throw error;
    });
  }
}
