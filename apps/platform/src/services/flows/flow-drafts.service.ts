import { Inject, Injectable } from '@nestjs/common';
import { DEFINITION_BYTES, FLOW_LIMITS, Refusal, type flowAuthoring, type Input } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { newId } from '../../kit/ids.ts';
import { CompanyLevels } from '../../access/identity/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { holdService, writeLog } from '../services/index.ts';
import { listFiles, shareFiles } from './files.store.ts';
import { FLOW_IN_USE, PLUGIN_SNAPSHOTS, type FlowInUse, type PluginDescriptions, type PluginSnapshots } from './flows.hook.ts';
import { draftToken, type DraftRow, type FlowRow, type OwnFlow } from './flow-row.ts';
import { addFlow, countFlows, findDraft, findOwnFlow, lockDraft, removeFlow, saveDraft, type NewFlow } from './flows.store.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { pluginsIn, withSnapshots } from './plugins-in-draft.ts';

type SavedDraft = Input<typeof flowAuthoring.saveDraft>['body'];
type NewFlowBody = Input<typeof flowAuthoring.createFlow>['body'];

/** Creates, saves and deletes flows for their authors. Each change, its audit and its log entry are one transaction. @spec D2-1 */
@Injectable()
export class FlowDrafts {
  constructor(
    private readonly home: Home,
    private readonly levels: CompanyLevels,
    private readonly audit: Audit,
    @Inject(FLOW_IN_USE) private readonly users: readonly FlowInUse[],
    @Inject(PLUGIN_SNAPSHOTS) private readonly plugins: PluginSnapshots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async create(company_user_id: string, { service_id, name }: NewFlowBody): Promise<DraftRow> {
    await this.levels.require(company_user_id, 'pro', 'Contract flows');
    const flow = { flow_id: newId('flow'), company_user_id, service_id, name, draft: {}, plugins: [] };
    return this.home.write(company_user_id, (tx) => this.add(tx, { ...flow, now: this.clock.now() }));
  }

  /** Copies a flow with its draft and files, for the same service or another one of the company. */
  async copy(own: OwnFlow, { name, service_id }: { name?: string | undefined; service_id?: string | undefined }): Promise<DraftRow> {
    await this.levels.require(own.company_user_id, 'pro', 'Contract flows');
    return this.home.write(own.company_user_id, async (tx) => {
      const flow = await lockOwn(tx, own);
      const { draft, company_user_id } = flow;
      const copy = { flow_id: newId('flow'), company_user_id, service_id: service_id ?? flow.service_id, name: name ?? flow.name };
      const plugins = pluginsIn(draft);
      await this.describe(tx, company_user_id, plugins); // so that no plugin is deleted before the transaction ends
      const added = await this.add(tx, { ...copy, draft, plugins, now: this.clock.now() });
      const files = await listFiles(tx, flow.flow_id, null);
      await shareFiles(tx, flow, { ...copy, version: null }, files);
      return added;
    });
  }

  /** Saves a draft, which may have any errors: only validating finds them. @spec D2-2.6 */
  save(own: OwnFlow, { draft_token, name, draft }: SavedDraft): Promise<DraftRow> {
    return this.home.write(own.company_user_id, async (tx) => {
      const flow = await lockCurrent(tx, own, draft_token);
      const plugins = pluginsIn(draft);
      const saved = withSnapshots(draft, await this.describe(tx, own.company_user_id, plugins));
      checkSize(saved);
      return saveDraft(tx, { ...flow, name: name ?? flow.name, draft: saved, plugins, now: this.clock.now() });
    });
  }

  /** Returns the descriptions of the company's plugins. */
  async describe(tx: EntityManager, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginDescriptions> {
    if (plugin_ids.length === 0) return new Map();
    return this.plugins.snapshotsOf(tx, company_user_id, plugin_ids);
  }

  remove(own: OwnFlow): Promise<void> {
    return this.home.write(own.company_user_id, async (tx) => {
      const flow = await lockOwn(tx, own);
      for (const user of this.users) if (await user.isFlowInUse(tx, flow)) throw new Refusal('flows.in_use');
      await removeFlow(tx, own);
      await this.note(tx, flow, 'flow.deleted');
      await writeLog(tx, flow, { kind: LOG_KINDS.flow_deleted, message: `The flow ${flow.flow_id} was deleted` }, this.clock.now());
    });
  }

  private async add(tx: EntityManager, given: NewFlow): Promise<DraftRow> {
    await holdService(tx, given);
    if ((await countFlows(tx, given)) >= FLOW_LIMITS.flows) throw new Refusal('flows.too_many');
    const flow = await addFlow(tx, given);
    await this.note(tx, flow, 'flow.created');
    await writeLog(tx, flow, { kind: LOG_KINDS.flow_created, message: `The flow ${flow.flow_id} was begun` }, given.now);
    return flow;
  }

  private note(tx: EntityManager, { company_user_id, flow_id }: FlowRow, act: 'flow.created' | 'flow.deleted') {
    return this.audit.record(tx, { act, account_id: company_user_id, object: flow_id });
  }
}

/** Finds a flow of the company. The flow of another company is not found, like a flow that does not exist. */
export const findOwn = async (db: Db, own: OwnFlow): Promise<DraftRow> => found(await findDraft(db, own));
/** Locks a flow, and first its service, as when both are deleted. The flow of a service that is being deleted is not found. */
export async function lockOwn(tx: EntityManager, own: OwnFlow): Promise<DraftRow> {
  await holdService(tx, await findOwnFlow(tx, own)).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal('flows.not_found') : error;
  });
  return found(await lockDraft(tx, own));
}

function found(flow: DraftRow | undefined): DraftRow {
  if (!flow) throw new Refusal('flows.not_found');
  return flow;
}

/** Locks the flow, and refuses when its draft was saved since the caller read the token. */
export async function lockCurrent(tx: EntityManager, own: OwnFlow, draft_token: string): Promise<DraftRow> {
  const flow = await lockOwn(tx, own);
  if (draft_token !== draftToken(flow)) throw new Refusal('flows.draft_conflict');
  return flow;
}

/** Refuses a draft or definition that is too long with the descriptions of its plugins. */
export function checkSize(draft: object): void {
  if (Buffer.byteLength(JSON.stringify(draft)) <= DEFINITION_BYTES) return;
  throw new Refusal('request.invalid').because('draft: with the descriptions of its plugins it is too long: use fewer plugin fields');
}
