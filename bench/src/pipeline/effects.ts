import { setTimeout as pause } from 'node:timers/promises';
import { many, one, openDatabase, sql } from '@cds/runtime/db';
import type { DataSource } from 'typeorm';

const TIMEOUT_MS = 60_000;
/** Counting rows is work of the server that is measured: not too often. */
const LOOK_MS = 250;

/** The rows that a handler keeps, one of each event. */
export class Effects {
  private constructor(private readonly db: DataSource) {}

  static async open(url: string): Promise<Effects> {
    const db = await openDatabase({ url, name: 'bench', pool: 2 });
    await many(
      db,
      sql`create table effect (message_id text primary key, chars int not null, happened_at timestamptz not null,
        handled_at timestamptz not null)`,
    );
    return new Effects(db);
  }

  /** So that counting them stays cheap. */
  async clear(): Promise<void> {
    await many(this.db, sql`truncate effect`);
  }

  async count(): Promise<number> {
    return (await one<{ n: number }>(this.db, sql`select count(*)::int as n from effect`))!.n;
  }

  /** Once there are so many; it may take its time as long as there are ever more. */
  async atLeast(expected: number): Promise<void> {
    let [seen, seenAt] = [await this.count(), performance.now()];
    while (seen < expected) {
      if (performance.now() - seenAt > TIMEOUT_MS) throw new Error(`Of ${expected} events ${seen} were handled, and no more for a minute.`);
      await pause(LOOK_MS);
      const now = await this.count();
      if (now > seen) [seen, seenAt] = [now, performance.now()];
    }
  }

  /** When the last one was handled, in milliseconds by the clock of all. */
  async lastAt(): Promise<number> {
    return (await one<{ ms: number }>(this.db, sql`select extract(epoch from max(handled_at))::float8 * 1000 as ms from effect`))!.ms;
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}
