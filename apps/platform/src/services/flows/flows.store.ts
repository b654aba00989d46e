import { Refusal } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { Slice } from '../../kit/paging.ts';
import type { OwnService } from '../services/index.ts';
import type { DraftRow, FlowRow, OwnFlow } from './flow-row.ts';
import { FlowEntity } from './flow.entity.ts';

const COLUMNS = 'flow_id, company_user_id, service_id, name, draft_version, published_version, created_at, updated_at';

type Stored = Omit<DraftRow, 'draft'> & { draft: string };
const withDraft = (row: Stored | undefined): DraftRow | undefined => row && { ...row, draft: JSON.parse(row.draft) };

/** Finds a flow of the company, with its draft. */
export const findDraft = async (db: Db, { company_user_id, flow_id }: OwnFlow): Promise<DraftRow | undefined> =>
  withDraft(await one<Stored>(db)`select * from flow where flow_id = ${flow_id} and company_user_id = ${company_user_id}`);

/** Finds a flow with its draft and locks it, so that changes of one flow come one after the other. */
export const lockDraft = async (tx: EntityManager, { company_user_id, flow_id }: OwnFlow): Promise<DraftRow | undefined> =>
  withDraft(await one<Stored>(tx)`select * from flow where flow_id = ${flow_id} and company_user_id = ${company_user_id} for update`);

/** Finds a flow of the company, without its draft. The flow of another company is not found, like a flow that does not exist. */
export const findOwnFlow = async (db: Db, { company_user_id, flow_id }: OwnFlow): Promise<FlowRow> => {
  const text = `select ${COLUMNS} from flow where flow_id = $1 and company_user_id = $2`;
  const flow = await one<FlowRow>(db, { text, values: [flow_id, company_user_id] });
  if (!flow) throw new Refusal('flows.not_found');
  return flow;
};

/** Finds a flow of a service. */
export const findFlowOfService = (db: Db, { company_user_id, service_id }: OwnService, flow_id: string) =>
  one<FlowRow>(db, {
    text: `select ${COLUMNS} from flow where flow_id = $1 and service_id = $2 and company_user_id = $3`,
    values: [flow_id, service_id, company_user_id],
  });

/** Lists the flows of a company or of one of its services, or only the published ones; the oldest first, one more than requested. */
export const listFlows = (
  db: Db,
  { company_user_id, service_id, isPublished = false }: { company_user_id: string; service_id?: string | undefined; isPublished?: boolean },
  { limit, after }: Slice,
) =>
  many<FlowRow>(db, {
    text: `
      select ${COLUMNS} from flow
       where company_user_id = $1 and ($2::text is null or service_id = $2) and (not $3 or published_version is not null)
         and ($4::text is null or (created_at, flow_id) > ($5::timestamptz, $4))
       order by created_at, flow_id
       limit $6`,
    values: [company_user_id, service_id ?? null, isPublished, after?.id ?? null, after?.at ?? null, limit + 1],
  });

/** The class of the advisory locks by which flows of one service are added one after the other: "flow" in ASCII. */
const FLOW_COUNT_LOCK = 0x666c6f77;

/** Returns how many flows a service has. Until the transaction ends no other transaction can count them, and so none can add one. */
export async function countFlows(tx: EntityManager, { service_id }: OwnService): Promise<number> {
  await one(tx)`select pg_advisory_xact_lock(${FLOW_COUNT_LOCK}, hashtext(${service_id}))`;
  return tx.getRepository(FlowEntity).countBy({ service_id });
}

export interface NewFlow extends OwnFlow, OwnService {
  name: string;
  draft: Record<string, unknown>;
  plugins: readonly string[];
  now: Date;
}

export const addFlow = async (
  tx: EntityManager,
  { flow_id, company_user_id, service_id, name, draft, plugins, now }: NewFlow,
): Promise<DraftRow> =>
  withDraft(
    await one<Stored>(tx)`
      insert into flow (flow_id, company_user_id, service_id, name, draft, draft_plugins, created_at, updated_at)
      values (${flow_id}, ${company_user_id}, ${service_id}, ${name}, ${JSON.stringify(draft)}, ${plugins}::text[], ${now}, ${now})
      returning *`,
  )!;

/** Stores a draft in place of the previous one. The row is locked. */
export const saveDraft = async (
  tx: EntityManager,
  { flow_id, name, draft, plugins, now }: Pick<NewFlow, 'flow_id' | 'name' | 'draft' | 'plugins' | 'now'>,
): Promise<DraftRow> =>
  withDraft(
    await one<Stored>(tx)`
      update flow
         set name = ${name}, draft = ${JSON.stringify(draft)}, draft_plugins = ${plugins}::text[], draft_version = draft_version + 1,
             updated_at = ${now}
       where flow_id = ${flow_id}
      returning *`,
  )!;

/** Notes that something of the flow other than its draft has changed. */
export const touchFlow = (tx: EntityManager, { flow_id }: OwnFlow, now: Date) =>
  execute(tx)`update flow set updated_at = ${now} where flow_id = ${flow_id}`;

/** Deletes a flow with its versions and files. */
export const removeFlow = (tx: EntityManager, { flow_id }: Pick<OwnFlow, 'flow_id'>) =>
  execute(tx)`delete from flow where flow_id = ${flow_id}`;

/** Returns the names of the flows whose draft or published version uses a plugin. @spec D1-2.11 */
export const flowsUsingPlugin = async (db: Db, company_user_id: string, plugin_id: string): Promise<string[]> => {
  const rows = await many<{ name: string }>(db)`
    select f.name from flow f left join flow_version v on v.flow_id = f.flow_id and v.version = f.published_version
     where f.company_user_id = ${company_user_id} and (${plugin_id} = any(f.draft_plugins) or ${plugin_id} = any(v.plugins))
     order by f.name`;
  return rows.map(({ name }) => name);
};

/** Lists all versions that use a plugin, also old ones, each with the name of its flow. */
export const versionsUsingPlugins = (db: Db, company_user_id: string, plugin_ids: readonly string[]) =>
  many<{ plugin_id: string; flow_version_id: string; flow_id: string; version: number; name: string }>(db)`
  select plugin_id, v.flow_version_id, v.flow_id, v.version, f.name
    from flow_version v join flow f using (flow_id) cross join unnest(v.plugins) plugin_id
   where v.company_user_id = ${company_user_id} and plugin_id = any(${plugin_ids}::text[])
   order by f.name`;
