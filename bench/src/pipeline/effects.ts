import { setTimeout as pause } from 'node:timers/promises';
import { one, sql } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { openBenchDatabase, statementsOn } from '../harness/database.ts';

const TIMEOUT_MS = 60_000;
/** The pause between counts. Counting rows costs CPU of the measured server, so it is done rarely. */
const CHECK_MS = 250;

/** The rows that a handler writes, one for each event. */
export class Effects {
  private constructor(private readonly db: DataSource) {}

  static async open(url: string): Promise<Effects> {
    const db = await openBenchDatabase(url, 2);
    await statementsOn(db)`
      create table effect (
        message_id text primary key, chars int not null, happened_at timestamptz not null, handled_at timestamptz not null)`;
    return new Effects(db);
  }

  /** Deletes the rows, so that counting stays cheap. */
  clear(): Promise<void> {
    return statementsOn(this.db)`truncate effect`;
  }

  async count(): Promise<number> {
    return (await one<{ n: number }>(this.db, sql`select count(*)::int as n from effect`))!.n;
  }

  /** Waits until there are at least this many rows. The wait has no limit while more rows keep arriving. */
  async atLeast(expected: number): Promise<void> {
    let [seen, seenAt] = [await this.count(), performance.now()];
    while (seen < expected) {
      if (performance.now() - seenAt > TIMEOUT_MS) throw new Error(`Of ${expected} events ${seen} were handled, and no more for a minute.`);
      await pause(CHECK_MS);
      const now = await this.count();
      if (now > seen) [seen, seenAt] = [now, performance.now()];
    }
  }

  /** Returns when the last event was handled, in milliseconds by the machine's clock. */
  async lastAt(): Promise<number> {
    return (await one<{ ms: number }>(this.db, sql`select extract(epoch from max(handled_at))::float8 * 1000 as ms from effect`))!.ms;
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}
