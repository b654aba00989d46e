import { Controller, Inject } from '@nestjs/common';
import { flowAuthoring as contracts, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { findService } from '../services/index.ts';
import { findOwn, FlowDrafts } from './flow-drafts.service.ts';
import { presentFlow, presentSummary } from './flow-row.ts';
import { listFlows } from './flows.store.ts';
import { FlowPreviews } from './flow-previews.service.ts';
import { FlowPublisher } from './flow-publisher.service.ts';

type Author = Caller<typeof contracts.readFlow>;

/** Flows of a company, which are written only at the portal. @spec D2-1 */
@Controller()
export class FlowsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly drafts: FlowDrafts,
    private readonly publishing: FlowPublisher,
    private readonly previews: FlowPreviews,
  ) {}

  @Serves(contracts.listFlows)
  async list({ query: { limit, cursor, service_id } }: Input<typeof contracts.listFlows>, { company_user_id }: Author) {
    if (service_id !== undefined) await findService(this.db, { company_user_id, service_id });
    const rows = await listFlows(this.db, { company_user_id, service_id }, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, flow_id }) => ({ at: created_at, id: flow_id }));
    return { items: items.map(presentSummary), next_cursor };
  }

  @Serves(contracts.createFlow)
  async create({ body }: Input<typeof contracts.createFlow>, { company_user_id }: Author) {
    return presentFlow(await this.drafts.create(company_user_id, body));
  }

  @Serves(contracts.readFlow)
  async read({ params }: Input<typeof contracts.readFlow>, caller: Author) {
    return presentFlow(await findOwn(this.db, own(params, caller)));
  }

  @Serves(contracts.saveDraft)
  async save({ params, body }: Input<typeof contracts.saveDraft>, caller: Author) {
    return presentFlow(await this.drafts.save(own(params, caller), body));
  }

  @Serves(contracts.deleteFlow)
  remove({ params }: Input<typeof contracts.deleteFlow>, caller: Author) {
    return this.drafts.remove(own(params, caller));
  }

  @Serves(contracts.copyFlow)
  async copy({ params, body }: Input<typeof contracts.copyFlow>, caller: Author) {
    return presentFlow(await this.drafts.copy(own(params, caller), body));
  }

  @Serves(contracts.validateFlow)
  validate({ params }: Input<typeof contracts.validateFlow>, caller: Author) {
    return this.publishing.validate(own(params, caller));
  }

  @Serves(contracts.previewFlow)
  preview({ params, body }: Input<typeof contracts.previewFlow>, caller: Author) {
    return this.previews.preview(own(params, caller), body);
  }

  @Serves(contracts.publishFlow)
  publish({ params, body }: Input<typeof contracts.publishFlow>, caller: Author) {
    return this.publishing.publish(own(params, caller), body.draft_token);
  }
}

export const own = ({ flowId: flow_id }: { flowId: string }, { company_user_id }: Author) => ({ company_user_id, flow_id });
