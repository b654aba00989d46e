import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CopyCursor, type Holdings } from '@codase/contracts';
import { execute, limitStatements, many, one, type Db } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { MovedTables, type MovedTable } from './moved-tables.ts';

/** How much is sent at once, except one row alone: far below the limit of a message, as quotes in rows are escaped once more. */
const CHUNK = { rows: 200, bytes: 256 * 1024 };
/** How many times as many rows are read next, at most, as were read until now. */
const GROWTH = 4;

/** How many rows are removed in one transaction: so few that no statement comes near its timeout, whatever the rows hold. */
const REMOVED_AT_ONCE = 1000;
/** How long the digest of one table may take: every row of it is read. */
const DIGEST_MS = 110_000;

const FOREIGN_KEY_VIOLATION = '23503';

/** Some rows of a table as a JSON array, and the key of the last row. */
export interface Chunk {
  rows: string;
  last: string;
}

/** Reads, adds and removes all rows of a company. Names come from the manifests; values from outside are bound parameters. */
@Injectable()
export class CompanyRows {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly tables: MovedTables,
  ) {}

  /**
   * Returns the next rows, at least one; undefined when the table has no more. A row can be a piece of a file, and writing it as JSON takes
   * long. So the first row is read alone, and then as many more as fit when they are as large as those before.
   */
  async chunk(user_id: string, { table, after }: CopyCursor, db: Db): Promise<Chunk | undefined> {
    const rows: string[] = [];
    let [bytes, last] = [0, after];
    for (let most = 1; most > 0; most = mostNext(rows.length, bytes)) {
      const read = await this.read(user_id, { table, after: last }, most, db);
      for (const { key, row } of read) {
        bytes += Buffer.byteLength(row);
        if (bytes > CHUNK.bytes && rows.length > 0) break;
        rows.push(row);
        last = key;
      }
      if (read.length < most) break;
    }
    return rows.length > 0 ? { rows: `[${rows.join(',')}]`, last: last! } : undefined;
  }

  /** Reads some rows after a key, each as JSON. */
  private read(user_id: string, { table, after }: CopyCursor, most: number, db: Db): Promise<{ key: string; row: string }[]> {
    const { owner, key, onArrival = {} } = this.tables.find(table);
    const text = `
      select ${key} as key, (to_jsonb(t) || $3::jsonb)::text as row
        from ${table} t
       where ${owner} = $1 and ($2::text is null or ${key} > $2)
       order by ${key}
       limit $4`;
    return many(db, { text, values: [user_id, after, JSON.stringify(onArrival), most] });
  }

  /**
   * Adds rows of the company, as another region read them. Rows of other companies are left out, and are noticed as missing when both sides
   * are compared. Rows that name something of another company are refused: the other region may be in the wrong hands. The columns that say
   * on which side of the move a row is are set here, whatever the other region says of them.
   */
  async add(user_id: string, table: string, rows: string, db: Db): Promise<void> {
    const { owner, arrived, onArrival = {} } = this.tables.find(table);
    if (await this.hasForeignNames(user_id, table, rows, db)) throw namesForeign(table);
    const text = `
      insert into ${table}
      select arriving.* from jsonb_populate_recordset(null::${table}, $1) sent, jsonb_populate_record(sent, $3) arriving
       where arriving.${owner} = $2`;
    await execute(db, { text, values: [rows, user_id, JSON.stringify(onArrival)] }).catch((error: unknown) => {
      throw (error as { code?: string }).code === FOREIGN_KEY_VIOLATION ? namesForeign(table) : error;
    });
    if (arrived) await execute(db, { text: `select ${arrived}($1)`, values: [user_id] });
  }

  /** Whether a row names something of another company in a column without a foreign key. */
  private async hasForeignNames(user_id: string, table: string, rows: string, db: Db): Promise<boolean> {
    const foreign = Object.entries(this.tables.find(table).names ?? {}).flatMap(([column, named]) =>
      named.map((name) => {
        const { owner, key } = this.tables.find(name);
        return `exists (select from ${name} n where n.${key} = sent.${column} and n.${owner} <> $2)`;
      }),
    );
    if (foreign.length === 0) return false;
    const text = `select from jsonb_populate_recordset(null::${table}, $1) sent where ${foreign.join(' or ')} limit 1`;
    return (await one(db, { text, values: [rows, user_id] })) !== undefined;
  }

  /**
   * Removes some rows of the company, those first that refer to others. Returns whether none is left. The row that says where the company
   * is at home goes last, so that a removal that was cut off goes on in the same state.
   */
  async removeSome(user_id: string, db: Db): Promise<boolean> {
    let most = REMOVED_AT_ONCE;
    for (const { table, owner } of this.tables.all.toReversed()) {
      const text = `
        delete from ${table} where ctid = any (array(select ctid from ${table} where ${owner} = $1 limit $2)) returning 1`;
      most -= (await many(db, { text, values: [user_id, most] })).length;
      if (most === 0) return false;
    }
    return true;
  }

  /** Returns the rows and the digest of one table, or of each. Order, time zone and collation of a region change no digest. */
  holdings(user_id: string, table?: string): Promise<Holdings> {
    const tables = table === undefined ? this.tables.all : [this.tables.find(table)];
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      await limitStatements(tx.queryRunner!, DIGEST_MS);
      await execute(tx)`select set_config('timezone', 'UTC', true)`;
      const holdings: Holdings = {};
      for (const moved of tables) holdings[moved.table] = await this.digest(user_id, moved, tx);
      return holdings;
    });
  }

  private async digest(user_id: string, { table, owner, onArrival = {}, sealed }: MovedTable, db: Db): Promise<Holdings[string]> {
    const text = `
      with digests as (
        select sha256(convert_to((to_jsonb(t) - $2::text[])::text, 'UTF8')) as digest from ${table} t where ${owner} = $1)
      select count(*)::integer as rows, encode(sha256(coalesce(string_agg(digest, ''::bytea order by digest), '')), 'hex') as digest
        from digests`;
    return (await one<Holdings[string]>(db, {
      text,
      values: [user_id, [...Object.keys(onArrival), ...(sealed === undefined ? [] : [sealed])]],
    }))!;
  }
}

const namesForeign = (table: string): Refusal =>
  new Refusal('request.invalid').because(`Rows of ${table} name something that is not of their company`);

/** Returns how many rows to read next for a chunk that has so many; 0 when it is full. */
const mostNext = (rows: number, bytes: number): number =>
  Math.max(0, Math.min(GROWTH * rows, CHUNK.rows - rows, Math.floor((CHUNK.bytes - bytes) / (bytes / rows))));
