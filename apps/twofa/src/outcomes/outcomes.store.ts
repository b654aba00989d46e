import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeOutcome } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { many, one, sql } from '@cds/runtime/db';
import { DataSource } from 'typeorm';

export interface Outcome {
  challenge_id: string;
  status: ChallengeOutcome;
  completed_at: Date;
}

/** Who waits for a login asks within minutes; a month is for looking into what went wrong. */
const KEPT_DAYS = 30;
/** How many old rows each new one takes with it: more than one, so that the table does not grow for ever. */
const FORGET_AT_ONCE = 5;

@Injectable()
export class OutcomesStore {
  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A challenge ends once: of two outcomes the first stands. */
  async keep(service: string, { challenge_id, status, completed_at }: Outcome): Promise<void> {
    const now = this.clock.now();
    const oldest = new Date(now.getTime() - KEPT_DAYS * 24 * 60 * 60 * 1000);
    await many(
      this.db,
      sql`
      with forgotten as (
        delete from outcome where (service, challenge_id) in (
          select service, challenge_id from outcome where kept_at < ${oldest} order by kept_at limit ${FORGET_AT_ONCE}))
      insert into outcome (service, challenge_id, status, completed_at, kept_at)
      values (${service}, ${challenge_id}, ${status}, ${completed_at}, ${now})
      on conflict do nothing`,
    );
  }

  find(service: string, challenge_id: string): Promise<Outcome | undefined> {
    return one<Outcome>(
      this.db,
      sql`select challenge_id, status, completed_at from outcome where service = ${service} and challenge_id = ${challenge_id}`,
    );
  }
}
