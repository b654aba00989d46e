import { execute, many, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { LogKind } from '../../kit/log-kinds.ts';
import type { Slice } from '../../kit/paging.ts';
import type { OwnService } from './service-row.ts';
import type { ServiceLogEntity } from './service.entity.ts';

export interface Logged {
  kind: LogKind;
  /** A sentence without secrets, and without anybody's values. */
  message: string;
  webhook_id?: string;
}

/** Writes an entry to the log of a service, in the transaction of what it reports. */
export const writeLog = (tx: EntityManager, own: OwnService, logged: Logged, now: Date): Promise<void> =>
  writeLogs(tx, [{ own, ...logged }], now);

/** Writes entries to the logs of many services at once. */
export async function writeLogs(tx: EntityManager, entries: readonly (Logged & { own: OwnService })[], now: Date): Promise<void> {
  const column = <T>(of: (entry: Logged & { own: OwnService }) => T) => entries.map(of);
  await execute(tx)`
    insert into service_log (at, log_id, company_user_id, service_id, kind, message, webhook_id)
    select ${now}::timestamptz, * from unnest(
      ${column(() => newId('log'))}::text[],
      ${column(({ own }) => own.company_user_id)}::text[],
      ${column(({ own }) => own.service_id)}::text[],
      ${column(({ kind }) => kind)}::text[],
      ${column(({ message }) => message)}::text[],
      ${column(({ webhook_id }) => webhook_id ?? null)}::text[])`;
}

export type LogRow = Omit<ServiceLogEntity, 'company_user_id' | 'service_id'>;

/** Returns entries of a service's log, the newest first, and one more than the limit. */
export const listLog = (db: Db, { company_user_id, service_id }: OwnService, { limit, after }: Slice) => many<LogRow>(db)`
  select log_id, at, kind, message, webhook_id
    from service_log
   where service_id = ${service_id} and company_user_id = ${company_user_id}
     and (${after?.id ?? null}::text is null or (at, log_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
   order by at desc, log_id desc
   limit ${limit + 1}`;
