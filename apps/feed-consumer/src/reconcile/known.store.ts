import { Injectable } from '@nestjs/common';
import { execute, many, sql, together, type Db } from '@codase/runtime/db';
import type { KnownChange, KnownPerson } from './known-state.ts';

/** Stores what was seen of each connected person, so that a comparison finds changes that no event announced. */
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

  /** Applies the changes. A person in an event or on a page counts as seen in the present run. */
  async apply(tx: Db, service: string, changes: readonly KnownChange[]): Promise<void> {
    const anew = changes.filter(({ anew: is }) => is).map(({ person_user_id }) => person_user_id);
    const staying = changes.filter(({ gone }) => !gone);
    const deleted =
      anew.length > 0 && execute(tx, sql`delete from known_person where service = ${service} and person_user_id = any(${anew}::text[])`);
    const saved =
      staying.length > 0 &&
      execute(
        tx,
        sql`
      insert into known_person (service, person_user_id, share_code, customer_type, listed, slots, run)
      select channel.service, person_user_id, given.share_code, customer_type, listed, slots, channel.run
        from channel, jsonb_to_recordset(${JSON.stringify(staying)}::jsonb)
             as given (person_user_id text, share_code text, customer_type text, listed boolean, slots jsonb)
       where channel.service = ${service}
          on conflict (service, person_user_id) do update
         set slots = jsonb_strip_nulls(known_person.slots || excluded.slots), share_code = excluded.share_code, run = excluded.run`,
      );
    await together([deleted, saved]);
  }

  /** Deletes and returns persons whom the run has not seen, at most `most` of them. */
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
