import { many } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { MOVED_TABLES } from '../../src/capabilities.ts';
import { CompanyRows } from '../../src/storage/moves/company-rows.store.ts';
import type { MovedTable } from '../../src/storage/moves/moved-tables.ts';

interface Column {
  name: string;
  type: string;
  required: boolean;
}
export type Row = Record<string, unknown>;

/** The id of a row of the company, in a column that may be empty. */
const NAMED = Symbol('an id');

/** What the checks of the tables want of a column. Every other column that has to have a value gets one by its type. */
const FITTING: Readonly<Record<string, unknown>> = {
  type: 'company',
  home: 'arriving',
  audience: 'both',
  format: 'json',
  auth_type: 'none',
  health: 'running',
  customer_type: 'person',
  sender: 'person',
  status: 'ended',
  payload_kind: 'json',
  reference_date: '2026-01-01',
  action: 'accepted',
  share_code: 'K7M2QX',
  sealed_secrets: '',
};
const FITTING_TABLE: Readonly<Record<string, Row>> = {
  challenge: { status: 'approved', completed_at: '2026-01-01T00:00:00Z' },
  contact_field: { usertype: 'any' },
  document: { kind: 'document', person_user_id: 'usr_ana', connection_id: NAMED },
  document_content: { document_id: NAMED },
  document_piece: { piece: 'x' },
  flow_file: { kind: 'pdf' },
  flow_run: { status: 'completed' },
  flow_run_file: { slug: 'passport', taken: false },
  flow_run_party: { connection_id: NAMED },
  flow_run_piece: { piece: 'x' },
  photo: { content_type: 'image/png', size: 1, content_sha256: 'x' },
  photo_piece: { piece: 'x' },
  plugin: { base_url: 'https://plugin.example' },
  shared_file: { piece: 'x' },
  shared_value: { value: 'x' },
};
const OF_TYPE: Readonly<Record<string, (unique: string, nth: string) => unknown>> = {
  text: (unique) => unique,
  'text[]': () => [],
  'bigint[]': () => [],
  integer: (_, nth) => nth.length,
  bigint: (_, nth) => nth.length,
  boolean: () => false,
  bytea: (_, nth) => (nth === '' ? '\\x00' : '\\x01'),
  json: () => ({}),
  jsonb: () => ({}),
  'timestamp with time zone': (_, nth) => `2026-01-01T00:00:${10 + nth.length}Z`,
};

/** The columns that are ids of rows that move, and what has one owner only. */
export const KEYS_OF_ROWS = new Set(
  MOVED_TABLES.all.map(({ key }) => key).filter((key) => key.endsWith('_id') && !key.endsWith('user_id')),
);

/** Rows of companies in every table that moves, as the region that such a company leaves would read them. */
export class RowsOfCompanies {
  private readonly columns = new Map<string, Column[]>();

  private constructor(private readonly db: DataSource) {}

  static async open(db: DataSource): Promise<RowsOfCompanies> {
    const rows = new RowsOfCompanies(db);
    for (const { table } of MOVED_TABLES.all) rows.columns.set(table, await rows.columnsOf(table));
    return rows;
  }

  /** Returns a row of a company. Whatever it names has the company in its id. `nth` tells several rows of the company apart. */
  rowOf({ table, owner, key }: MovedTable, company: string, nth = ''): Row {
    const row: Row = {};
    for (const { name, type, required } of this.columns.get(table)!) {
      const fitting = FITTING_TABLE[table]?.[name] ?? FITTING[name];
      if (name === owner) row[name] = company;
      else if (name === key) row[name] = `${key} of ${company}${nth}`;
      else if (KEYS_OF_ROWS.has(name)) row[name] = required || fitting === NAMED ? `${name} of ${company}` : null;
      else if (name === 'reader') row[name] = nth === '' ? 'recipient' : 'company';
      else if (fitting !== undefined) row[name] = name === 'share_code' ? `${company}${nth}` : fitting;
      else row[name] = required ? OF_TYPE[type]!(`${name} of ${company}${nth}`, nth) : null;
    }
    if (row['channel'] !== undefined) row['channel'] = `service_id of ${company}`;
    return row;
  }

  /** Hands one row over, as a move does. */
  async handOver(company: string, { table }: MovedTable, row: Row): Promise<void> {
    await this.db.transaction((tx) => new CompanyRows(this.db, MOVED_TABLES).add(company, table, JSON.stringify([row]), tx));
  }

  /** Hands over a row of each table. */
  async handOverAll(company: string): Promise<void> {
    for (const moved of MOVED_TABLES.all) await this.handOver(company, moved, this.rowOf(moved, company));
  }

  private columnsOf(table: string): Promise<Column[]> {
    return many<Column>(this.db)`
      select attname as name, format_type(atttypid, null) as type, attnotnull as required from pg_attribute
       where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`;
  }
}
