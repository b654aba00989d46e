import type { ChallengeCard, ChallengeOutcome } from '@codase/contracts';
import { execute, forEveryCompany, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { ChallengeCounts } from './raise-limits.ts';
import type { ChallengeEntity } from './challenge.entity.ts';

type Card = z.infer<typeof ChallengeCard>;

/** The class of the advisory locks by which challenges of one person are raised one at a time: "chal". */
const PERSON_LOCK = 0x6368616c;

/** Locks a person until the transaction ends, so that one at a time counts the person's challenges and raises another one. */
export const lockPerson = (tx: EntityManager, person_user_id: string) =>
  one(tx)`select pg_advisory_xact_lock(${PERSON_LOCK}, hashtext(${person_user_id}))`;

/** Counts the challenges of a person, of whichever company, within the last hour. Those that have expired by the clock are not open. */
export const countChallenges = async (
  tx: EntityManager,
  { person_user_id, service_id }: PersonOfService,
  now: Date,
): Promise<ChallengeCounts> =>
  (await forEveryCompany(
    () => one<ChallengeCounts>(tx, 'challenge_counts')`
    select count(*) filter (where status = 'pending' and expires_at > ${now})::int as of_person,
           count(*) filter (where status = 'pending' and expires_at > ${now} and service_id = ${service_id})::int as of_service,
           coalesce(array_agg(created_at order by created_at desc) filter (where service_id = ${service_id}), '{}') as recent
      from challenge
     where person_user_id = ${person_user_id} and created_at > ${now}::timestamptz - interval '1 hour'`,
  ))!;

type PersonOfService = Pick<ChallengeEntity, 'person_user_id' | 'service_id'>;

/** Adds a challenge; undefined when the service has used the key already. */
export const addChallenge = (tx: EntityManager, row: ChallengeEntity): Promise<ChallengeEntity | undefined> =>
  one<ChallengeEntity>(tx)`
    insert into challenge (challenge_id, company_user_id, service_id, client_id, connection_id, person_user_id, share_code,
                           key_hash, body_hash, status, context, digits, created_at, expires_at, traceparent)
    values (${row.challenge_id}, ${row.company_user_id}, ${row.service_id}, ${row.client_id}, ${row.connection_id}, ${row.person_user_id},
            ${row.share_code}, ${row.key_hash}, ${row.body_hash}, 'pending', ${row.context}, ${row.digits}, ${row.created_at},
            ${row.expires_at}, ${row.traceparent})
    on conflict (service_id, key_hash) do nothing
    returning *`;

/** The challenge that a service raised with a key. */
export const findByKey = (db: Db, service_id: string, key_hash: string): Promise<ChallengeEntity | undefined> =>
  one<ChallengeEntity>(db)`select * from challenge where service_id = ${service_id} and key_hash = ${key_hash}`;

/** Forgets the idempotency key of a challenge, so that the key may be used again. */
export const forgetKey = (tx: EntityManager, challenge_id: string) =>
  one(tx)`update challenge set key_hash = null where challenge_id = ${challenge_id}`;

/** Returns a challenge of a service; undefined for a challenge of another service, as for one that does not exist. @spec D1-1 */
export const findOfService = (db: Db, { company_user_id, service_id }: OwnService, challenge_id: string) =>
  one<ChallengeEntity>(db)`
    select * from challenge
     where challenge_id = ${challenge_id} and service_id = ${service_id} and company_user_id = ${company_user_id}`;

type OwnService = Pick<ChallengeEntity, 'company_user_id' | 'service_id'>;

/** A challenge to a person; undefined when the challenge is to another person. */
export const findOfPerson = (db: Db, person_user_id: string, challenge_id: string): Promise<ChallengeEntity | undefined> =>
  one<ChallengeEntity>(db)`select * from challenge where challenge_id = ${challenge_id} and person_user_id = ${person_user_id}`;

/** Locks a challenge before its status is changed, so that one of several simultaneous answers is first. */
export const lockChallenge = (tx: EntityManager, challenge_id: string): Promise<ChallengeEntity | undefined> =>
  one<ChallengeEntity>(tx)`select * from challenge where challenge_id = ${challenge_id} for update`;

/** Locks the pending challenges of a connection, in the order of their ids. */
export const lockOfConnection = (tx: EntityManager, connection_id: string): Promise<ChallengeEntity[]> =>
  many<ChallengeEntity>(tx)`
    select * from challenge where connection_id = ${connection_id} and status = 'pending' order by challenge_id for update`;

/** Locks the pending challenges of a service, in the order of their ids. */
export const lockOfService = (tx: EntityManager, service_id: string): Promise<ChallengeEntity[]> =>
  many<ChallengeEntity>(tx)`
    select * from challenge where service_id = ${service_id} and status = 'pending' order by challenge_id for update`;

/** Locks pending challenges of some clients. It does not wait for locked rows, and leaves out companies that have begun to move. */
export const lockOfClients = (tx: EntityManager, client_ids: readonly string[], limit: number): Promise<ChallengeEntity[]> =>
  many<ChallengeEntity>(tx)`
    select * from challenge
     where status = 'pending' and client_id = any(${client_ids}::text[]) and exists (select from hold_homes(array[company_user_id]))
     order by challenge_id limit ${limit} for update skip locked`;

/** Locks pending challenges whose time is over. It does not wait for locked rows, and leaves out companies that have begun to move. */
export const lockOverdue = (tx: EntityManager, now: Date, limit: number): Promise<ChallengeEntity[]> =>
  many<ChallengeEntity>(tx)`
    select * from challenge
     where status = 'pending' and expires_at <= ${now} and exists (select from hold_homes(array[company_user_id]))
     order by expires_at limit ${limit} for update skip locked`;

/** Writes the outcome of locked challenges, and deletes what only open ones have. Without `completed_at` they end at their expiry. */
export const writeOutcome = (tx: EntityManager, challenge_ids: readonly string[], status: ChallengeOutcome, completed_at: Date | null) =>
  execute(tx)`
    update challenge set status = ${status}, completed_at = coalesce(${completed_at}, expires_at), context = null, digits = null
     where challenge_id = any(${challenge_ids}::text[])`;

/** Notes that the outcome was delivered. The caller has locked the row. */
export const consume = (tx: EntityManager, challenge_id: string, now: Date) =>
  one(tx)`update challenge set consumed_at = ${now} where challenge_id = ${challenge_id}`;

type CardRow = Omit<Card, 'created_at' | 'expires_at'> & Pick<ChallengeEntity, 'created_at' | 'expires_at'>;

/** Returns the cards of a person, the oldest first, without companies that are arriving: their old region is asked for them. */
export async function listCards(db: Db, person_user_id: string, now: Date): Promise<Card[]> {
  const rows = await many<CardRow>(db)`
    select c.challenge_id, c.service_id, s.name as service_name, c.context, c.digits is not null as number_matching, c.created_at,
           c.expires_at
      from challenge c join service s on s.service_id = c.service_id
      join profile p on p.user_id = c.company_user_id and p.home <> 'arriving'
     where c.person_user_id = ${person_user_id} and c.status = 'pending' and c.expires_at > ${now}
     order by c.created_at, c.challenge_id`;
  return rows.map(presentCard);
}

/** Returns one card of a person; undefined when the challenge is not open, or not here. */
export async function findCard(db: Db, person_user_id: string, challenge_id: string, now: Date): Promise<Card | undefined> {
  return (await listCards(db, person_user_id, now)).find((card) => card.challenge_id === challenge_id);
}

const presentCard = ({ created_at, expires_at, ...row }: CardRow): Card => ({
  ...row,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
});

/** Counts the pending challenges by the client that raised them. */
export const countPending = (db: Db) =>
  many<{ client_id: string; count: number }>(
    db,
  )`select client_id, count(*)::int as count from challenge where status = 'pending' group by client_id`;
