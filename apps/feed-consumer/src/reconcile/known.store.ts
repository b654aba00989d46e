import { Injectable } from '@nestjs/common';
import { many, sql, type Db } from '@cds/runtime/db';
import type { KnownChange, KnownPerson } from './known.ts';

/** What was seen of each connected person, so that a comparison finds what changed unseen. */
@Injectable()
export class KnownStore {
  async of(db: Db, service: string, person_user_ids: readonly string[]): Promise<Map<string, KnownPerson>> {
    const rows = await many<KnownPerson>(
      db,
      sql`
      select person_user_id, share_code, customer_type, listed, jsonb_strip_nulls(slots) as slots from known_person
       where service = ${service} and person_user_id = any(${person_user_ids}::text[])`,
    );
    return new Map(rows.map((row) => [row.person_user_id, row]));
  }

  /** A person in an event or on a page counts as seen in this run. */
  async apply(db: Db, service: string, run: number, changes: readonly KnownChange[]): Promise<void> {
    const anew = changes.filter(({ anew: is }) => is).map(({ person_user_id }) => person_user_id);
    const staying = changes.filter(({ gone }) => !gone);
    if (anew.length) await many(db, sql`delete from known_person where service = ${service} and person_user_id = any(${anew}::text[])`);
    if (staying.length)
      await many(
        db,
        sql`
      insert into known_person (service, person_user_id, share_code, customer_type, listed, slots, run)
      select ${service}, person_user_id, share_code, customer_type, listed, slots, ${run}
        from jsonb_to_recordset(${JSON.stringify(staying)}::jsonb)
             as given (person_user_id text, share_code text, customer_type text, listed boolean, slots jsonb)
          on conflict (service, person_user_id) do update
         set slots = jsonb_strip_nulls(known_person.slots || excluded.slots), share_code = excluded.share_code, run = excluded.run`,
      );
  }

  /** Takes out those whom the run has not seen, some at once. */
  async unseen(db: Db, service: string, run: number, most: number): Promise<KnownPerson[]> {
    return many<KnownPerson>(
      db,
      sql`
      delete from known_person
       where ctid in (select ctid from known_person where service = ${service} and run < ${run} limit ${most})
       returning person_user_id, share_code, customer_type, listed, slots`,
    );
  }
}
