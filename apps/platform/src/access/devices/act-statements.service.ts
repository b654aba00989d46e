import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { ProjectionReader } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { ActCheck, StoredAct } from '../../foundation/peers/index.ts';
import { UsedProofs } from '../tokens/index.ts';
import { readStatement, STATEMENT_FAULTS } from './act-statement.ts';
import { DEVICE_KEY_ROWS, type DEVICE_KEYS } from './device-keys.ts';
import { METRICS } from './metrics.ts';

/** The sender of an act of this region's own users, in the metric. */
const OWN = 'own';

/**
 * Checks acts where they are stored, by the keys that the front door publishes. A user who has a device acts by a device alone: a region that
 * sends an act without a statement may be broken, whatever it says of the session. @gap D1-5
 */
@Injectable()
export class ActStatements implements ActCheck {
  constructor(
    @Inject(DEVICE_KEY_ROWS) private readonly keys: ProjectionReader<typeof DEVICE_KEYS.shape>,
    private readonly used: UsedProofs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async check({ user_id, busUser, ...act }: StoredAct, text: string | undefined): Promise<string | undefined> {
    const { jkts } = this.keys.get(user_id) ?? { jkts: [] };
    if (jkts.length === 0 && text === undefined) return undefined;
    const statement = readStatement(text, act, jkts, this.clock.now());
    const fault =
      typeof statement === 'string' ? statement : (await this.used.use(statement.jkt, statement.claims)) ? undefined : 'replayed';
    if (fault === undefined) return text;
    count(METRICS.statementsRefused, { 'codase.fault': fault, 'codase.caller': busUser ?? OWN });
    if (busUser !== undefined)
      this.log.error('an act of another region was refused: no device of the user has signed it', { 'codase.caller': busUser });
    throw new Refusal('account.device_required').because(STATEMENT_FAULTS[fault]);
  }
}
