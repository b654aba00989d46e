import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { REGION } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { METRICS } from './metrics.ts';
import { putBackOldEnrolments, removeWithoutConnection, takeOldEnrolments, type OldEnrolment } from './old-enrolments.store.ts';

const AT_ONCE = 100;
/** The pause while enrolments are left: the next batch follows, or a company that moves is waited for. */
const SOON_MS = 5000;
/** The pause when no enrolments are left: no new ones are added. */
const DONE_MS = 60 * 60 * 1000;

/**
 * Hands over enrolments that earlier versions kept at the front door, to the regions that have their connections. A region that does not
 * answer is asked again. An enrolment for which no region has a connection is over.
 */
@Injectable()
export class EnrolmentHandOver implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private rounds: Repeated | undefined;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: Db,
    private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Pick<Bases, 'regions'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = repeat(() => this.handOverSome(), {
      name: 'enrolment_hand_over',
      pauseMs: (isDone) => (isDone ? DONE_MS : SOON_MS),
      onFailure: (error) => this.log.warn('enrolments of an earlier version wait to be handed over', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds?.stop();
  }

  /**
   * Hands over a batch, and returns whether nothing is left. The enrolments leave the table first: another front door could hand over the
   * same enrolment after its person has revoked it, and it would come back. The enrolments of a process that dies are lost, and their
   * persons have to enrol again.
   */
  async handOverSome(): Promise<boolean> {
    count(METRICS.enrolmentsOver, {}, await removeWithoutConnection(this.db, AT_ONCE));
    let left = await takeOldEnrolments(this.db, AT_ONCE);
    if (left.length === 0) return true;
    try {
      const postponed = new Set<string>();
      for (const { region } of this.bases.regions) {
        const { taken, later } = await this.bus.request(REGION.takeEnrolments, { region }, { enrolments: left.map(handedOver) });
        count(METRICS.enrolmentsHandedOver, {}, taken.length);
        for (const connection_id of later) postponed.add(connection_id);
        left = left.filter(({ connection_id }) => !taken.includes(connection_id));
      }
      const waiting = left.filter(({ connection_id }) => postponed.has(connection_id));
      count(METRICS.enrolmentsOver, {}, left.length - waiting.length);
      left = waiting;
    } finally {
      await putBackOldEnrolments(this.db, left);
    }
    return false;
  }
}

const handedOver = ({ service_id, person_user_id, connection_id, created_at }: OldEnrolment) => ({
  service_id,
  person_user_id,
  connection_id,
  enrolled_at: created_at.toISOString(),
});
