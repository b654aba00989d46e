import { Injectable } from '@nestjs/common';
import { SHARED_ONCE_FILE_DAYS } from '@codase/contracts';
import { execute, many } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { emit } from '../../services/feed/index.ts';
import type { GivenAnswers, Withdrawn } from '../../services/services/index.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import { slotEvent } from './events.ts';
import { removeSlots } from './values.store.ts';

const DAY_MS = 86_400_000;

/** Changes the stored answers when the request fields of their service are published anew. */
@Injectable()
export class GivenAnswersStore implements GivenAnswers {
  /** Deletes the answers to withdrawn rows. The end of a one-time answer is never reported. @spec D1-6.1 */
  async withdraw(tx: EntityManager, rows: readonly Withdrawn[], at: Date): Promise<void> {
    for await (const some of answersTo(tx, rows)) {
      const ids = some.map(({ shared_value_id }) => shared_value_id);
      await removeSlots(tx, ids);
      const live = some.filter((answer) => answer.live);
      const events = live.map(({ slug, ...connection }) => slotEvent('field_deleted', connection, slug, at));
      await emit(tx, events);
    }
  }

  /** Turns live answers into one-time answers. A file among them can be fetched for `SHARED_ONCE_FILE_DAYS` from now on. @gap D1-2.8 */
  async settle(tx: EntityManager, service_field_ids: readonly string[], at: Date): Promise<void> {
    const expires_at = new Date(at.getTime() + SHARED_ONCE_FILE_DAYS * DAY_MS);
    const rows = service_field_ids.map((service_field_id) => ({ service_field_id, customers: 'both' }) as const);
    for await (const some of answersTo(tx, rows)) {
      await execute(tx)`
        update shared_value
           set live = false, source_field = null, expires_at = case when file_sha256 is not null then ${expires_at}::timestamptz end
         where shared_value_id = any(${some.map(({ shared_value_id }) => shared_value_id)}::text[]) and live`;
    }
  }
}

type Answer = ConnectionRow & Pick<SharedValueRow, 'shared_value_id' | 'slug' | 'live'>;

/** Reads the answers with a cursor, a thousand at a time: there may be any number, and no statement may run for long. */
async function* answersTo(tx: EntityManager, rows: readonly Withdrawn[]): AsyncGenerator<Answer[]> {
  if (rows.length === 0) return;
  await execute(tx)`
    declare answers no scroll cursor for
    select v.shared_value_id, v.live, f.slug, c.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(service_field_id text, customers text)
      join request_field f using (service_field_id)
      join shared_value v using (service_field_id)
      join connection c using (connection_id)
     where r.customers in ('both', c.customer_type)`;
  for (;;) {
    const some = await many<Answer>(tx)`fetch 1000 from answers`;
    if (some.length === 0) break;
    yield some;
  }
  await execute(tx)`close answers`;
}
