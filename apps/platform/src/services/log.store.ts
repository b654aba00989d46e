import { many, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../ids.ts';
import type { Slice } from '../paging.ts';
import type { OwnService } from './service-row.ts';

/** What is noted of a service: changes of its configuration, and what becomes of its webhooks. @spec D1-6.3 @gap D1-4.7 */
export const LOG_KINDS = [
  'service_created',
  'share_code_changed',
  'admin_email_changed',
  'number_matching_changed',
  'share_config_changed',
  'request_fields_published',
  'client_created',
  'client_changed',
  'client_secret_replaced',
  'client_deleted',
  'webhook_created',
  'webhook_changed',
  'webhook_deleted',
  'webhook_running',
  'webhook_bad',
  'webhook_unknown',
  'webhook_stale',
  'webhook_purged',
  'mail_given_up',
] as const;
export type LogKind = (typeof LOG_KINDS)[number];

export interface Logged {
  kind: LogKind;
  /** A sentence without secrets, and without anybody's values. */
  message: string;
  webhook_id?: string;
}

/** Notes something in the transaction in which it happens. */
export const writeLog = (tx: EntityManager, own: OwnService, logged: Logged, now: Date): Promise<void> =>
  writeLogs(tx, [{ own, ...logged }], now);

/** The same of many services at once. */
export async function writeLogs(tx: EntityManager, entries: readonly (Logged & { own: OwnService })[], now: Date): Promise<void> {
  const column = <T>(of: (entry: Logged & { own: OwnService }) => T) => entries.map(of);
  await many(
    tx,
    sql`
    insert into service_log (at, log_id, company_user_id, service_id, kind, message, webhook_id)
    select ${now}::timestamptz, * from unnest(
      ${column(() => newId('log'))}::text[], ${column(({ own }) => own.company_user_id)}::text[], ${column(({ own }) => own.service_id)}::text[],
      ${column(({ kind }) => kind)}::text[], ${column(({ message }) => message)}::text[], ${column(({ webhook_id }) => webhook_id ?? null)}::text[])`,
  );
}

export interface LogRow {
  log_id: string;
  at: Date;
  kind: string;
  message: string;
  webhook_id: string | null;
}

/** The newest first, one more than asked for. */
export const listLog = (db: Db, { company_user_id, service_id }: OwnService, { limit, after }: Slice): Promise<LogRow[]> =>
  many<LogRow>(
    db,
    sql`
    select log_id, at, kind, message, webhook_id
      from service_log
     where service_id = ${service_id} and company_user_id = ${company_user_id}
       and (${after?.id ?? null}::text is null or (at, log_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
     order by at desc, log_id desc
     limit ${limit + 1}`,
  );
