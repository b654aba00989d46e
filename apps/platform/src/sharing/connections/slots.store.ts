import { Injectable } from '@nestjs/common';
import { many, type Db } from '@codase/runtime/db';
import { slotName, type SlotKey, type SlotSource, type SlotState } from '../../services/feed/index.ts';
import type { SharedValueRow } from './connection-row.ts';
import { contentOf } from './present.ts';

type StoredSlot = Pick<SharedValueRow, 'connection_id' | 'service_field_id' | 'slug' | 'live' | 'value'>;

/** Reads what slots hold now, for the events that carry it. @spec D1-6.1 */
@Injectable()
export class ConnectionSlots implements SlotSource {
  async statesOf(db: Db, keys: readonly SlotKey[]): Promise<ReadonlyMap<string, SlotState>> {
    const rows = await many<StoredSlot>(db)`
      select v.connection_id, v.service_field_id, f.slug, v.live, v.value
        from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k(company_user_id text, connection_id text, slug text)
        join shared_value v using (company_user_id, connection_id)
        join request_field f using (service_field_id, slug)`;
    return new Map(rows.map((row) => [slotName(row), { live: row.live, ...contentOf(row) }]));
  }
}
