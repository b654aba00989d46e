import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, read, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { CLIENT_LOOKUP, type ClientLookup } from '../../access/clients/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import type { ChallengeAct } from './challenge-states.ts';
import { countPending, lockOfClients, lockOverdue } from './challenges.store.ts';
import { ChallengeCloser } from './challenge-closer.service.ts';
import { METRICS } from './metrics.ts';
import type { ChallengeEntity } from './challenge.entity.ts';

/** The pauses between rounds. While no challenge is pending the pause is longer, because a new one does not expire that soon. */
const EVERY_MS = { pending: 1000, idle: 5000 } as const;
const AT_ONCE = 100;

/**
 * Ends the challenges that nobody answered in time, so that nothing of what was asked stays. It also revokes the challenges of a deleted
 * client, in case the process that deleted the client died before it could revoke them. @spec D1-3.1
 */
@Injectable()
export class ExpiredChallenges implements OnApplicationBootstrap, OnApplicationShutdown {
  private sweeping: Repeated | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly closing: ChallengeCloser,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = repeat(() => this.sweep(), {
      name: 'expired_challenges',
      pauseMs: (isPending) => (isPending ? EVERY_MS.pending : EVERY_MS.idle),
      backoff: { firstMs: EVERY_MS.pending, longestMs: EVERY_MS.pending },
      onFailure: (error) => this.log.error('challenges that are over could not be closed', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  /** Returns whether any challenge was pending. */
  async sweep(): Promise<boolean> {
    if (this.mode.isPaused()) return false;
    const pending = await countPending(this.db);
    const all = pending.reduce((sum, { count }) => sum + count, 0);
    read(METRICS.pending, all);
    if (pending.length === 0) return false;
    await this.closeAll('expire', (tx) => lockOverdue(tx, this.clock.now(), AT_ONCE));
    const gone = await this.goneAmong(pending.map(({ client_id }) => client_id));
    if (gone.length > 0) await this.closeAll('revoke', (tx) => lockOfClients(tx, gone, AT_ONCE));
    return true;
  }

  /** Closes challenges in batches, so that no transaction locks many. */
  private async closeAll(act: ChallengeAct, lock: (tx: EntityManager) => Promise<ChallengeEntity[]>): Promise<void> {
    const closeSome = () =>
      this.db.transaction(async (tx) => {
        const some = await lock(tx);
        await this.closing.close(tx, some, act, this.clock.now());
        return some.length;
      });
    while ((await closeSome()) === AT_ONCE);
  }

  private async goneAmong(client_ids: readonly string[]): Promise<string[]> {
    const known = await Promise.all(client_ids.map((client_id) => this.clients.clientOf(client_id)));
    return client_ids.filter((_, nth) => !known[nth]);
  }
}
