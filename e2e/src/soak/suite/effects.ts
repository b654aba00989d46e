import { many, openDatabase, sql } from '@codase/runtime/db';
import { createDatabase } from '@codase/servers';
import type { SoakContext } from '../soak.ts';

type Database = Awaited<ReturnType<typeof openDatabase>>;

interface Handled {
  person: string;
  at: Date;
  value: string;
}

export interface HandledCorrespondence {
  kind: string;
  person: string;
  name: string;
}

export class Effects {
  count = 0;

  private constructor(
    private readonly db: Database,
    readonly url: string,
  ) {}

  static async open({ postgres, password, cleanup }: SoakContext): Promise<Effects> {
    const { owner } = await createDatabase(postgres.url, { name: 'soak', ownerPassword: password, appPassword: password });
    const db = await openDatabase({ url: owner, name: 'soak', pool: 2 });
    await db.query(`
      create table effect (
        seq bigint generated always as identity primary key, person text not null, at timestamptz not null, value text not null);
      create table handled (
        seq bigint generated always as identity primary key, kind text not null, person text not null, name text not null)`);
    cleanup.push(() => db.destroy());
    return new Effects(db, owner);
  }

  /** Counts the effects. While the server is down, the old count stays. */
  async read(): Promise<number> {
    const rows = await many<{ n: number }>(this.db, sql`select count(*)::integer as n from effect`).catch(() => []);
    this.count = rows[0]?.n ?? this.count;
    return this.count;
  }

  all(): Promise<Handled[]> {
    return many<Handled>(this.db, sql`select person, at, value from effect order by seq`);
  }

  correspondence(): Promise<HandledCorrespondence[]> {
    return many<HandledCorrespondence>(this.db, sql`select kind, person, name from handled order by seq`);
  }
}
