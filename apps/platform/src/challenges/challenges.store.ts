import type { ChallengeCard, ChallengeOutcome } from '@cds/contracts';
import { many, one, prepared, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { ChallengeRow } from './challenge-row.ts';
import type { ChallengeCounts } from './raise-limits.ts';

type Card = z.infer<typeof ChallengeCard>;

/** The class of the advisory locks by which a person is asked one thing at a time: "chal". */
const PERSON_LOCK = 0x6368616c;

/** Whoever counts what a person has been asked, to ask once more, is alone with it until the transaction ends. */
export const lockPerson = (tx: EntityManager, person_user_id: string) =>
  one(tx, sql`select pg_advisory_xact_lock(${PERSON_LOCK}, hashtext(${person_user_id}))`);

/** Counted by the clock: what has expired is open no more, also where nobody has written that down yet. */
export const countChallenges = async (
  tx: EntityManager,
  { person_user_id, service_id }: PersonOfService,
  now: Date,
): Promise<ChallengeCounts> =>
  (await one<ChallengeCounts>(
    tx,
    prepared(
      'challenge_counts',
      sql`
    select count(*) filter (where status = 'pending' and expires_at > ${now})::int as of_person,
           count(*) filter (where status = 'pending' and expires_at > ${now} and service_id = ${service_id})::int as of_service,
           coalesce(array_agg(created_at order by created_at desc) filter (where service_id = ${service_id}), '{}') as recent
      from challenge
     where person_user_id = ${person_user_id} and created_at > ${now}::timestamptz - interval '1 hour'`,
    ),
  ))!;

type PersonOfService = Pick<ChallengeRow, 'person_user_id' | 'service_id'>;

/** Undefined when the service has used the key already. */
export const addChallenge = (tx: EntityManager, row: ChallengeRow): Promise<ChallengeRow | undefined> =>
  one<ChallengeRow>(
    tx,
    sql`
    insert into challenge (challenge_id, company_user_id, service_id, client_id, connection_id, person_user_id, share_code,
                           key_hash, body_hash, status, context, digits, created_at, expires_at, traceparent)
    values (${row.challenge_id}, ${row.company_user_id}, ${row.service_id}, ${row.client_id}, ${row.connection_id}, ${row.person_user_id},
            ${row.share_code}, ${row.key_hash}, ${row.body_hash}, 'pending', ${row.context}, ${row.digits}, ${row.created_at},
            ${row.expires_at}, ${row.traceparent})
    on conflict (service_id, key_hash) do nothing
    returning *`,
  );

/** The challenge that a service raised with a key. */
export const findByKey = (db: Db, service_id: string, key_hash: string): Promise<ChallengeRow | undefined> =>
  one<ChallengeRow>(db, sql`select * from challenge where service_id = ${service_id} and key_hash = ${key_hash}`);

/** The key may be used anew. */
export const forgetKey = (tx: EntityManager, challenge_id: string) =>
  one(tx, sql`update challenge set key_hash = null where challenge_id = ${challenge_id}`);

/** A challenge of a service; one of another service is not found, like one that is not there. @spec D1-1 */
export const findOfService = (db: Db, { company_user_id, service_id }: OwnService, challenge_id: string) =>
  one<ChallengeRow>(
    db,
    sql`
    select * from challenge
     where challenge_id = ${challenge_id} and service_id = ${service_id} and company_user_id = ${company_user_id}`,
  );

type OwnService = Pick<ChallengeRow, 'company_user_id' | 'service_id'>;

/** A challenge that a person is asked; one of somebody else is not found. */
export const findOfPerson = (db: Db, person_user_id: string, challenge_id: string): Promise<ChallengeRow | undefined> =>
  one<ChallengeRow>(db, sql`select * from challenge where challenge_id = ${challenge_id} and person_user_id = ${person_user_id}`);

/** Locks one, to move it: of those who answer it at once one is first. */
export const lockChallenge = (tx: EntityManager, challenge_id: string): Promise<ChallengeRow | undefined> =>
  one<ChallengeRow>(tx, sql`select * from challenge where challenge_id = ${challenge_id} for update`);

/** Locks the open ones of a connection, in the order of their ids. */
export const lockOfConnection = (tx: EntityManager, connection_id: string): Promise<ChallengeRow[]> =>
  many<ChallengeRow>(
    tx,
    sql`select * from challenge where connection_id = ${connection_id} and status = 'pending' order by challenge_id for update`,
  );

/** The same of a service. */
export const lockOfService = (tx: EntityManager, service_id: string): Promise<ChallengeRow[]> =>
  many<ChallengeRow>(
    tx,
    sql`select * from challenge where service_id = ${service_id} and status = 'pending' order by challenge_id for update`,
  );

/** The same of some clients, without waiting, and none of a company that has begun to move. */
export const lockOfClients = (tx: EntityManager, client_ids: readonly string[], limit: number): Promise<ChallengeRow[]> =>
  many<ChallengeRow>(
    tx,
    sql`
    select * from challenge
     where status = 'pending' and client_id = any(${client_ids}::text[]) and exists (select from hold_homes(array[company_user_id]))
     order by challenge_id limit ${limit} for update skip locked`,
  );

/** The ones whose time is over, without waiting, and none of a company that has begun to move. */
export const lockOverdue = (tx: EntityManager, now: Date, limit: number): Promise<ChallengeRow[]> =>
  many<ChallengeRow>(
    tx,
    sql`
    select * from challenge
     where status = 'pending' and expires_at <= ${now} and exists (select from hold_homes(array[company_user_id]))
     order by expires_at limit ${limit} for update skip locked`,
  );

/** They are locked. What only an open challenge has is gone with this. With no time of their own they end when they expired. */
export const writeOutcome = (tx: EntityManager, challenge_ids: readonly string[], status: ChallengeOutcome, completed_at: Date | null) =>
  many(
    tx,
    sql`
    update challenge set status = ${status}, completed_at = coalesce(${completed_at}, expires_at), context = null, digits = null
     where challenge_id = any(${challenge_ids}::text[])`,
  );

/** The outcome was delivered. The row is locked. */
export const consume = (tx: EntityManager, challenge_id: string, now: Date) =>
  one(tx, sql`update challenge set consumed_at = ${now} where challenge_id = ${challenge_id}`);

/** Waits at most so long for whoever has a row locked. */
export const waitAtMost = (tx: EntityManager, withinMs: number) =>
  one(tx, sql`select set_config('lock_timeout', ${String(withinMs)}, true)`);

interface CardRow {
  challenge_id: string;
  service_id: string;
  service_name: string;
  context: string;
  number_matching: boolean;
  created_at: Date;
  expires_at: Date;
}

/** The cards of a person, the oldest first. A company that is on its way here is asked where it comes from. */
export async function listCards(db: Db, person_user_id: string, now: Date): Promise<Card[]> {
  const rows = await many<CardRow>(
    db,
    sql`
    select c.challenge_id, c.service_id, s.name as service_name, c.context, c.digits is not null as number_matching, c.created_at,
           c.expires_at
      from challenge c join service s on s.service_id = c.service_id
      join profile p on p.user_id = c.company_user_id and p.home <> 'arriving'
     where c.person_user_id = ${person_user_id} and c.status = 'pending' and c.expires_at > ${now}
     order by c.created_at, c.challenge_id`,
  );
  return rows.map(presentCard);
}

/** One of them; undefined where it is not open, or not here. */
export async function findCard(db: Db, person_user_id: string, challenge_id: string, now: Date): Promise<Card | undefined> {
  return (await listCards(db, person_user_id, now)).find((card) => card.challenge_id === challenge_id);
}

const presentCard = ({ created_at, expires_at, ...row }: CardRow): Card => ({
  ...row,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
});

/** How many are open, by the client that raised them. */
export const countPending = (db: Db): Promise<{ client_id: string; count: number }[]> =>
  many(db, sql`select client_id, count(*)::int as count from challenge where status = 'pending' group by client_id`);
