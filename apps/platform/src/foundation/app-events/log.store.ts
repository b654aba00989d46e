import type { AppEventKind } from '@codase/contracts';
import { many, sql, type Db } from '@codase/runtime/db';
import type { Cursor } from './event-id.ts';

/** An event in the log of a person. */
export interface LoggedEvent {
  seq: number;
  event_id: string;
  company_user_id: string;
  kind: AppEventKind;
  object_id: string;
  created_at: Date;
  traceparent: string | null;
}

/** Which part of a person's log to read. */
export interface LogRequest {
  person_user_id: string;
  after: number;
  limit: number;
}

/** The end of a log, and some events of it. */
export interface LogPart {
  end: Cursor;
  events: LoggedEvent[];
}

interface LogRow extends Omit<LoggedEvent, 'seq'> {
  nth: string;
  log_id: string | null;
  last_seq: string | null;
  seq: string | null;
}

/** Reads parts of several logs at once, in the order of the requests. A part is undefined when the person is not at home here. */
export async function readLogs(db: Db, requests: readonly LogRequest[]): Promise<(LogPart | undefined)[]> {
  const rows = await many<LogRow>(
    db,
    sql`
    select r.nth, l.log_id, l.last_seq, e.seq, e.event_id, e.company_user_id, e.kind, e.object_id, e.created_at, e.traceparent
      from unnest(${requests.map(({ person_user_id }) => person_user_id)}::text[], ${requests.map(({ after }) => after)}::bigint[],
                  ${requests.map(({ limit }) => limit)}::bigint[]) with ordinality r (person_user_id, after, most, nth)
      join profile p on p.user_id = r.person_user_id and p.home = 'here'
      left join app_event_log l on l.person_user_id = r.person_user_id
      left join lateral (
        select * from app_event where person_user_id = r.person_user_id and seq > r.after order by seq limit r.most) e on true
     order by r.nth, e.seq`,
  );
  const parts: (LogPart | undefined)[] = requests.map(() => undefined);
  for (const { nth, log_id, last_seq, seq, ...event } of rows) {
    const part = (parts[Number(nth) - 1] ??= { end: { log_id, seq: Number(last_seq ?? 0) }, events: [] });
    if (seq !== null) part.events.push({ seq: Number(seq), ...event });
  }
  return parts;
}

/** Returns where the logs of some persons end. Persons who are not at home here are left out. */
export async function readEnds(db: Db, person_user_ids: readonly string[]): Promise<ReadonlyMap<string, Cursor>> {
  const rows = await many<{ user_id: string; log_id: string | null; last_seq: string | null }>(
    db,
    sql`
    select p.user_id, l.log_id, l.last_seq from profile p left join app_event_log l on l.person_user_id = p.user_id
     where p.user_id = any (${person_user_ids}) and p.home = 'here'`,
  );
  return new Map(rows.map(({ user_id, log_id, last_seq }) => [user_id, { log_id, seq: Number(last_seq ?? 0) }]));
}
