import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { Db } from '@codase/runtime/db';
import { Refusal } from '@codase/contracts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { listEndedVerifications, type VerifiedRow } from '../connections/index.ts';
import { ContactData } from '../people/index.ts';
import { METRICS } from './metrics.ts';
import { RequestsStore } from './requests.store.ts';

const EVERY_MS = 20_000;
const AT_ONCE = 100;

/**
 * Ends verifications whose time is over, whose key was revoked, or that no provider ever attested, so that services hear of it by their
 * events. A verification by a revoked key is shown to nobody from the moment on at which the region knows of it. @spec D1-6.1
 */
@Injectable()
export class EndedVerifications extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly attestations: Attestations,
    private readonly data: ContactData,
    private readonly requests: RequestsStore,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'ended_verifications', everyMs: EVERY_MS, failure: 'verifications that are over could not be ended' }, log);
  }

  /** Ends what is over, and returns how many that were. A value whose end failed is left to the next round. */
  async round(): Promise<number> {
    if (this.mode.isPaused()) return 0;
    await this.requests.deleteExpired(this.clock.now());
    let ended = 0;
    for (let after: VerifiedRow | undefined, isFull = true; isFull;) {
      const rows = await listEndedVerifications(this.db, this.clock.now(), this.attestations.revokedKeys, { after, most: AT_ONCE });
      for (const row of rows) ended += await this.end(row);
      [after, isFull] = [rows.at(-1), rows.length === AT_ONCE];
    }
    return ended;
  }

  private async end({ owner_user_id, slug, verification }: VerifiedRow): Promise<number> {
    try {
      await this.data.unverify(owner_user_id, slug, verification.verification_id ?? null);
      count(METRICS.ended);
      return 1;
    } catch (error) {
      if (error instanceof Refusal && error.key === 'verification.not_found') return 0; // somebody else ended or replaced it meanwhile
      this.log.warn('a verification that is over could not be ended yet', { error });
      return 0;
    }
  }
}
