import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { HERE, Home, Modes, type Here } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { listExpiredFiles, removeFile } from './values.store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 100;

/** Lets go of files that were shared once and can be fetched no more; their digests stay. @gap D1-2.8 */
@Injectable()
export class ExpiredFiles implements OnApplicationBootstrap, OnApplicationShutdown {
  private sweeping: Repeated | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(Home) private readonly home: Pick<Home, 'write'>,
    @Inject(Modes) private readonly modes: Pick<Modes, 'isPausedHere'>,
    @Inject(HERE) private readonly here: Here,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = repeat(() => this.sweep(), {
      name: 'expired_files',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('expired files could not be removed', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  /** Answers how many went; what is left over waits for the next round, as does what belongs to a company that has begun to move. */
  async sweep(): Promise<number> {
    if (this.modes.isPausedHere(this.here)) return 0;
    const expired = await listExpiredFiles(this.db, this.clock.now(), AT_ONCE);
    for (const { company_user_id, shared_value_id } of expired) {
      await this.home.write(company_user_id, (tx) => removeFile(tx, shared_value_id));
    }
    return expired.length;
  }
}
