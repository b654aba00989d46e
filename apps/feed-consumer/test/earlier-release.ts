import { execute, many, sql } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import type { Range } from '../src/spool/spool.store.ts';
import type { Spooled } from '../src/spool/spooled-event.ts';

/** The exact SQL statements of the release before the third migration. That release may run on the newer schema. */
export class EarlierRelease {
  constructor(
    private readonly db: DataSource,
    private readonly now: () => Date,
  ) {}

  async add(service: string, events: readonly Spooled[]): Promise<void> {
    const column = <K extends keyof Spooled>(name: K) => events.map((event) => event[name]);
    await execute(
      this.db,
      sql`
      insert into spool (service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
      select ${service}, message_id, shard, event_id, event, state_key, at, body, ${null}::text, traceparent, ${this.now()}
        from unnest(${column('message_id')}::text[], ${column('shard')}::smallint[], ${column('event_id')}::text[],
                    ${column('event')}::text[], ${column('state_key')}::text[], ${column('at')}::timestamptz[], ${column('body')}::bytea[],
                    ${column('traceparent')}::text[])
             with ordinality as given (message_id, shard, event_id, event, state_key, at, body, traceparent, nth)
       where not exists (select from published where service = ${service} and published.message_id = given.message_id)
       order by nth
          on conflict (service, message_id) do nothing
       returning 1 as stored`,
    );
  }

  /** Publishes the oldest events of one kind, and returns them. */
  async publishes(kind: 'event is not null' | 'event is null', most: number): Promise<{ message_id: string; body: Buffer }[]> {
    const shards = Array.from({ length: 16 }, (_, shard) => shard);
    const text = `
      select seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at
        from (select *, sum(length(body)) over (order by seq) - length(body) as before
                from (select * from spool where shard = any($1::smallint[]) and ${kind} order by seq limit $2) as oldest) as weighed
       where before < $3
       order by seq`;
    const events = await many<{ seq: string; message_id: string; body: Buffer }>(this.db, { text, values: [shards, most, 1e6] });
    await execute(
      this.db,
      sql`
      with gone as (delete from spool where seq = any(${events.map(({ seq }) => seq)}::bigint[]) returning *)
      insert into published
             (seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
      select seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at from gone
          on conflict (service, message_id) do nothing`,
    );
    return events;
  }

  async resend(service: string, resend_id: string | null, { from, to, event_id, after, most }: Range): Promise<string[]> {
    const rows = await many<{ seq: string }>(
      this.db,
      sql`
      with range as (
        select * from published as old
         where service = ${service} and received_at >= ${from} and received_at < ${to} and seq > ${after}
           and (${event_id ?? null}::text is null or event_id = ${event_id ?? null})
           and mark is distinct from 'resent' and (event is not null or ${resend_id}::text is null)
           and not exists (
             select from (select service, state_key, seq, mark from published
                          union all select service, state_key, seq, mark from spool) as newer
              where newer.service = old.service and newer.state_key in (old.state_key, split_part(old.state_key, '/', 1))
                and newer.seq > old.seq and newer.mark is distinct from 'resent')
         order by seq limit ${most}),
      moved as (
        delete from published using range
         where ${resend_id}::text is null and published.service = range.service and published.message_id = range.message_id),
      again as (
        insert into spool (service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
        select service, message_id || coalesce(':' || ${resend_id}::text, ''), shard, event_id, event, state_key, at, body,
               case when ${resend_id}::text is null then mark else 'resent' end, traceparent, ${this.now()}
          from range order by seq on conflict do nothing)
      select seq from range order by seq`,
    );
    return rows.map(({ seq }) => seq);
  }

  async forget(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from published where ctid in (select ctid from published where received_at < ${before} limit ${most}) returning 1 as gone`,
    );
    return gone.length;
  }
}
