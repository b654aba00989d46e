import { createHash } from 'node:crypto';
import { Refusal, type FlowDefinition } from '@codase/contracts';
import { phaseOf } from '@codase/domain';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { ConnectionRow } from '../../sharing/connections/index.ts';
import { newId } from '../../kit/ids.ts';
import type { Slice } from '../../kit/paging.ts';
import type { OwnService } from '../../services/services/index.ts';
import type { AnswerRow, BoundRun, TargetRun, PartyRow, RunRow, TagValuesRow } from './run-row.ts';

/** The class of the advisory locks that make starts with the same key wait for each other: "runs" in ASCII. */
const START_LOCK = 0x72756e73;

/** Hashes the idempotency key of a caller together with the flow, since a key identifies one run of one flow. */
const repeatHash = (flow_id: string, key: string): Buffer => createHash('sha256').update(`${flow_id} ${key}`).digest();

/** Finds the run that was started with a key. Waits for a start with the same key that is under way. */
export async function findStarted(tx: EntityManager, own: OwnService, flow_id: string, key: string): Promise<RunRow | undefined> {
  const hash = repeatHash(flow_id, key);
  await one(tx)`select pg_advisory_xact_lock(${START_LOCK}, ${hash.readInt32BE(0)})`;
  return one<RunRow>(tx)`
    select * from flow_run where service_id = ${own.service_id} and company_user_id = ${own.company_user_id} and repeat_hash = ${hash}`;
}

/**
 * Adds a run, and the definition of its version when no run of that version has added it yet. Refuses when a row that another company
 * brought from its former region has the key of the definition: the next version has another key.
 */
export async function addRun(tx: EntityManager, { run, parties }: BoundRun, definition: FlowDefinition, key?: string): Promise<void> {
  await execute(tx)`
    insert into flow_run_definition (definition_id, company_user_id, definition)
    select ${run.definition_id}, ${run.company_user_id}, ${JSON.stringify(definition)}
     where not exists (select from flow_run_definition where definition_id = ${run.definition_id})
    on conflict (definition_id) do nothing`;
  await execute(tx)`
    insert into flow_run (run_id, company_user_id, service_id, flow_id, flow_version, definition_id, status, current_node, reference_date,
                          owner_tag_values, repeat_hash, created_at)
    values (${run.run_id}, ${run.company_user_id}, ${run.service_id}, ${run.flow_id}, ${run.flow_version}, ${run.definition_id},
            ${run.status}, ${run.current_node}, ${run.reference_date},
            ${run.owner_tag_values && JSON.stringify(run.owner_tag_values)}, ${key === undefined ? null : repeatHash(run.flow_id, key)},
            ${run.created_at})`.catch((error: unknown) => {
    throw isDefinitionOfAnother(error)
      ? new Refusal('flows.not_published').because(
          `Version ${run.flow_version} cannot be run in this region: change the draft and publish it as another version`,
        )
      : error;
  });
  const { company_user_id, created_at } = run;
  const rows = parties.map((party) => ({ ...party, run_party_id: newId('pty'), company_user_id, created_at }));
  await execute(tx)`
    insert into flow_run_party (run_party_id, company_user_id, run_id, position, party_key, user_id, connection_id, customer_type,
                                share_code, public_key, created_at)
    select * from json_to_recordset(${JSON.stringify(rows)}) as (
      run_party_id text, company_user_id text, run_id text, position integer, party_key text, user_id text, connection_id text,
      customer_type text, share_code text, public_key text, created_at timestamptz)`;
}

function isDefinitionOfAnother(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23503' && constraint === 'flow_run_definition_id_fkey';
}

export async function addTagValues(tx: EntityManager, { run_id, company_user_id }: RunRow, values: readonly TagValuesRow[]): Promise<void> {
  for (const { for_user_id, public: shown, public_tags, private: hidden } of values) {
    await execute(tx)`
      insert into flow_run_tag_values (tag_values_id, company_user_id, run_id, for_user_id, public, public_tags, private)
      values (${newId('tag')}, ${company_user_id}, ${run_id}, ${for_user_id}, ${shown}, ${public_tags}, ${JSON.stringify(hidden)})`;
  }
}

export const findTagValues = (db: Db, run_id: string, for_user_id: string) =>
  one<TagValuesRow>(db)`select * from flow_run_tag_values where run_id = ${run_id} and for_user_id = ${for_user_id}`;

/** Finds a definition, and how long it is as JSON. */
export const findDefinition = async (db: Db, definition_id: string): Promise<{ definition: FlowDefinition; bytes: number }> =>
  (await one<{ definition: FlowDefinition; bytes: number }>(db)`
    select definition, octet_length(definition::text) as bytes from flow_run_definition where definition_id = ${definition_id}`)!;

/** All columns of a run, for prepared statements, which have to list them. */
const RUN = `
  r.run_id, r.company_user_id, r.service_id, r.flow_id, r.flow_version, r.definition_id, r.status, r.current_node, r.last_party,
  r.reference_date, r.private_slugs, r.owner_tag_values, r.created_at, r.data_removed_at`;

/** The condition that the connection of a party is not of another company than its run, in case a run of another region said so. */
const OF_OWN_CONNECTION = `
  not exists (select from connection c where c.connection_id = b.connection_id and c.company_user_id <> b.company_user_id)`;
/** The condition that the run is the caller's, with the first parameters of a statement. */
const OF_SERVICE = `r.run_id = $1 and r.service_id = $2 and r.company_user_id = $3`;
const OF_CUSTOMER = `
  r.run_id = $1 and exists (
    select from flow_run_party b where b.run_id = r.run_id and b.connection_id = $2 and b.user_id = $3 and ${OF_OWN_CONNECTION})`;
type Customer = { user_id: string; connection_id: string };

/** Finds a run of a service. The run of another service is not found, like a run that does not exist. @spec D2-7 */
export const findOfService = (db: Db, { company_user_id, service_id }: OwnService, run_id: string) =>
  one<RunRow>(db, {
    name: 'flow_run_of_service',
    text: `select ${RUN} from flow_run r where ${OF_SERVICE}`,
    values: [run_id, service_id, company_user_id],
  });

/** Finds a run of a customer by a connection. Leaves out companies that are just moving here: their old region still answers. */
export const findOfCustomer = (db: Db, user_id: string, connection_id: string, run_id: string) =>
  one<RunRow>(db, {
    name: 'flow_run_of_customer',
    text: `select ${RUN} from flow_run r join profile c on c.user_id = r.company_user_id and c.home <> 'arriving' where ${OF_CUSTOMER}`,
    values: [run_id, connection_id, user_id],
  });

export const findStatus = async (db: Db, run_id: string): Promise<RunRow['status'] | undefined> =>
  (await one<Pick<RunRow, 'status'>>(db)`select status from flow_run where run_id = ${run_id}`)?.status;

/** Reads a run of the caller and holds its company's home. From here on the transaction waits for no lock longer than `$4`. */
const TARGET_RUN = `
  select r.run_id, r.company_user_id, r.service_id, r.flow_id, hold_home(r.company_user_id, $4) as home,
         (select json_agg(p order by p.position)
            from (select run_id, position, party_key, user_id, connection_id, customer_type, share_code, public_key
                    from flow_run_party where run_id = r.run_id) as p) as parties,
         (select s.public_key from service s where s.service_id = r.service_id and s.company_user_id = r.company_user_id) as service_key
    from flow_run r`;
const TARGET_OF_SERVICE = `${TARGET_RUN} where ${OF_SERVICE}`;
const TARGET_OF_CUSTOMER = `${TARGET_RUN} join profile c on c.user_id = r.company_user_id and c.home <> 'arriving' where ${OF_CUSTOMER}`;

/** Locks the service, then the connections of the run's parties, as `lockConnections` does: ending a connection locks it first too. */
const lockedConnections = (ofCaller: string) => `
  with wanted as materialized (select r.run_id, r.company_user_id, r.service_id from flow_run r where ${ofCaller}),
  held as materialized (select s.service_id from service s where s.service_id = (select service_id from wanted) for share)
  select c.connection_id, c.company_user_id, c.service_id, c.customer_user_id, c.customer_type, c.display_name, c.share_code, c.public_key,
         c.connected_at
    from connection c
   where (select count(*) from held) >= 0 and c.company_user_id = (select company_user_id from wanted)
     and c.connection_id = any (array(select p.connection_id from flow_run_party p where p.run_id = (select run_id from wanted)))
   order by c.connection_id for update`;

/** Locks the run, and then reads whether one of its users has deleted the account. */
const lockedRun = (ofCaller: string) => `
  select ${RUN}, has_deleted_account(array(select p.user_id from flow_run_party p where p.run_id = r.run_id)) as has_deleted
    from (select * from flow_run r where ${ofCaller} for update) as r`;
type LockedRow = RunRow & { has_deleted: boolean };

/** The results of the first statements of a turn. Each statement locks or reads, and none needs the result of another. */
export interface LockedRows {
  target: Promise<TargetRun | undefined>;
  connections: Promise<ConnectionRow[]>;
  run: Promise<LockedRow | undefined>;
}

const STATEMENTS = {
  service: { target: TARGET_OF_SERVICE, connections: lockedConnections(OF_SERVICE), run: lockedRun(OF_SERVICE) },
  customer: { target: TARGET_OF_CUSTOMER, connections: lockedConnections(OF_CUSTOMER), run: lockedRun(OF_CUSTOMER) },
} as const;

/** Holds and locks a run to move it, in three statements, so that only one of several simultaneous turns is taken. */
function lock(tx: EntityManager, by: keyof typeof STATEMENTS, values: readonly string[], waitMs: number): LockedRows {
  const { target, connections, run } = STATEMENTS[by];
  return {
    target: one<TargetRun>(tx, { name: `flow_run_target_of_${by}`, text: target, values: [...values, `${waitMs}ms`] }),
    connections: many<ConnectionRow>(tx, { name: `flow_run_connections_of_${by}`, text: connections, values: [...values] }),
    run: one<LockedRow>(tx, { name: `flow_run_lock_of_${by}`, text: run, values: [...values] }),
  };
}

export const lockOfService = (tx: EntityManager, own: OwnService, run_id: string, waitMs: number): LockedRows =>
  lock(tx, 'service', [run_id, own.service_id, own.company_user_id], waitMs);

export const lockOfCustomer = (
  tx: EntityManager,
  { user_id, connection_id, run_id }: Customer & { run_id: string },
  waitMs: number,
): LockedRows => lock(tx, 'customer', [run_id, connection_id, user_id], waitMs);

export const listParties = (db: Db, run_id: string) => many<PartyRow>(db, 'flow_run_parties')`
    select run_id, position, party_key, user_id, connection_id, customer_type, share_code, public_key
      from flow_run_party where run_id = ${run_id} order by position`;

/** Which runs of a service a list shows. */
interface Narrowed {
  flow_id?: string | undefined;
  status?: string | undefined;
}

type ListedRun = Pick<RunRow, 'run_id' | 'flow_id' | 'status' | 'current_node' | 'created_at'>;

/** Lists the newest runs first, one more than requested. */
export const listOfService = (db: Db, own: OwnService, { flow_id, status }: Narrowed, { limit, after }: Slice): Promise<ListedRun[]> => {
  const narrowed = [flow_id !== undefined && ['flow_id', flow_id], status !== undefined && ['status', status]].filter(
    (one) => one !== false,
  );
  const values: unknown[] = [own.service_id, own.company_user_id, limit + 1, ...narrowed.map(([, value]) => value)];
  const conditions = narrowed.map(([column], nth) => `and ${column} = $${nth + 4}`);
  // The statement has only the conditions that are given, so that each list is read from its own index.
  if (after) conditions.push(`and (created_at, run_id) < ($${values.push(after.at)}::timestamptz, $${values.push(after.id)}::text)`);
  return many<ListedRun>(db, {
    text: `
    select run_id, flow_id, status, current_node, created_at from flow_run
     where service_id = $1 and company_user_id = $2 ${conditions.join(' ')}
     order by created_at desc, run_id desc limit $3`,
    values,
  });
};

/** Lists the runs of a customer by a connection in the same way. Each run is listed once, even if the customer plays several parties. */
export const listOfCustomer = (
  db: Db,
  { user_id, connection_id, status }: { user_id: string; connection_id: string; status: string | null },
  { limit, after }: Slice,
) => many<ListedRun>(db)`
  select r.run_id, r.flow_id, r.status, r.current_node, r.created_at
    from flow_run_party b join flow_run r on r.run_id = b.run_id
   where b.connection_id = ${connection_id} and b.user_id = ${user_id}
     and not exists (select from connection c where c.connection_id = b.connection_id and c.company_user_id <> b.company_user_id)
     and not exists (select from flow_run_party o
                      where o.run_id = b.run_id and o.connection_id = b.connection_id and o.position < b.position)
     and (${status}::text is null or r.status = ${status})
     and (${after?.id ?? null}::text is null
          or (b.created_at, b.run_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
   order by b.created_at desc, b.run_id desc
   limit ${limit + 1}`;

/** Locks the open runs in which a customer takes part by a connection, in the order of their ids. */
export const lockOpenOfConnection = (tx: EntityManager, connection_id: string) => many<RunRow>(tx)`
  select * from flow_run
   where run_id in (select run_id from flow_run_party where connection_id = ${connection_id})
     and status not in ('completed', 'cancelled')
   order by run_id for update`;

/** Stores the new state of a run, which is locked. */
export const moveRun = (
  tx: EntityManager,
  run_id: string,
  { status, current_node, last_party, private_slugs }: Pick<RunRow, 'status' | 'current_node' | 'last_party' | 'private_slugs'>,
) => execute(tx)`
  update flow_run set status = ${status}, current_node = ${current_node}, last_party = ${last_party}, private_slugs = ${private_slugs}
   where run_id = ${run_id}`;

/**
 * Stores the new state of a run, which is locked, and the answers of a turn. A copy replaces an earlier one of the same answer and user.
 * Returns the copies of one user as `listAnswers` does. They are put together from the rows before this statement and those it has written.
 * `bytes` says how long the copies of the user are whose copies are the longest.
 */
export async function putTurn(
  tx: EntityManager,
  run: RunRow,
  { answers, reader, now }: { answers: readonly AnswerRow[]; reader: string; now: Date },
): Promise<{ answers: AnswerRow[]; bytes: number }> {
  const rows = await many<AnswerRow & { bytes: number }>(tx, 'flow_run_put_turn')`
      with moved as (
        update flow_run set status = ${run.status}, current_node = ${run.current_node}, last_party = ${run.last_party},
               private_slugs = ${run.private_slugs}
         where run_id = ${run.run_id}),
      put as (
        insert into flow_run_answer as a (answer_id, company_user_id, run_id, slug, for_user_id, value, source_private, verification,
                                          answered_at)
        select n.answer_id, ${run.company_user_id}, ${run.run_id}, n.slug, n.for_user_id, n.value, n.source_private, n.verification,
               ${now}::timestamptz
          from json_to_recordset(${JSON.stringify(answers.map((answer) => ({ ...answer, answer_id: newId('ans') })))}) as n (
            answer_id text, slug text, for_user_id text, value text, source_private boolean, verification json)
        on conflict (run_id, for_user_id, slug) do update
           set value = excluded.value, source_private = excluded.source_private, verification = excluded.verification,
               answered_at = excluded.answered_at
        returning slug, for_user_id, value, source_private, verification, answered_at),
      own as (
        select slug, for_user_id, value, source_private, verification, answered_at from put where for_user_id = ${reader}
        union all
        select slug, for_user_id, value, source_private, verification, answered_at from flow_run_answer
         where run_id = ${run.run_id} and for_user_id = ${reader} and slug not in (select slug from put)),
      stored as (
        select for_user_id, octet_length(value) as bytes from put
        union all
        select for_user_id, octet_length(value) from flow_run_answer where run_id = ${run.run_id} and slug not in (select slug from put)),
      sums as (select sum(bytes) as bytes from stored group by for_user_id)
      select slug, for_user_id, value, source_private, verification, (select max(bytes)::float8 from sums) as bytes
        from own order by answered_at, slug`;
  const copies = rows.map(({ slug, for_user_id, value, source_private, verification }) => ({
    slug,
    for_user_id,
    value,
    source_private,
    verification,
  }));
  return { answers: copies, bytes: rows[0]?.bytes ?? 0 };
}

/** Lists the copies of one user, and of nobody else. @spec D2-2.2 */
export const listAnswers = (db: Db, run_id: string, for_user_id: string) => many<AnswerRow>(db, 'flow_run_answers')`
    select slug, for_user_id, value, source_private, verification from flow_run_answer
     where run_id = ${run_id} and for_user_id = ${for_user_id}
     order by answered_at, slug`;

/** Whether a flow has runs that are not over. */
export const hasOpenRuns = async (db: Db, company_user_id: string, flow_id: string): Promise<boolean> =>
  (await one(db)`
    select from flow_run
     where flow_id = ${flow_id} and company_user_id = ${company_user_id} and status not in ('completed', 'cancelled') limit 1`) !==
  undefined;

/** Returns those of some definitions to which open runs are pinned. */
export async function listDefinitionsInUse(db: Db, definition_ids: readonly string[]): Promise<string[]> {
  const rows = await many<{ definition_id: string }>(db)`
    select pinned.definition_id from unnest(${definition_ids}::text[]) as pinned (definition_id)
     cross join lateral (
       select from flow_run r where r.definition_id = pinned.definition_id and (r.status in ('completed', 'cancelled')) is false limit 1
     ) as one_open`;
  return rows.map(({ definition_id }) => definition_id);
}

/** How many runs are open, by what they wait for. */
type OpenCounts = Record<'awaiting' | 'generating' | 'awaiting_signature', number>;

export async function countOpen(db: Db): Promise<OpenCounts> {
  const counted = await many<{ status: RunRow['status']; count: number }>(db)`
    select status, count(*)::int as count from flow_run where (status in ('completed', 'cancelled')) is false group by status`;
  const counts: OpenCounts = { awaiting: 0, generating: 0, awaiting_signature: 0 };
  for (const { status, count } of counted) counts[phaseOf(status) as keyof OpenCounts] += count;
  return counts;
}
