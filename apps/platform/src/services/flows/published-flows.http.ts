import { Controller, Inject } from '@nestjs/common';
import { ownerRuns, runs, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { findService, listRequestFields, type OwnService } from '../services/index.ts';
import { listFlows } from './flows.store.ts';
import { PublishedFlows } from './published-flows.service.ts';

/** The published flows of a service, for clients that start runs. @spec D2-4.1 */
@Controller()
export class PublishedFlowsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly published: PublishedFlows,
  ) {}

  @Serves(runs.listPublishedFlows)
  async list({ query: { limit, cursor } }: Input<typeof runs.listPublishedFlows>, service: Caller<typeof runs.listPublishedFlows>) {
    const { company_user_id, service_id } = service;
    const rows = await listFlows(this.db, { company_user_id, service_id, isPublished: true }, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, flow_id }) => ({ at: created_at, id: flow_id }));
    return {
      items: items.map(({ flow_id, name, published_version }) => ({ id: flow_id, name, version: published_version! })),
      next_cursor,
    };
  }

  @Serves(runs.readPublishedFlow)
  read({ params }: Input<typeof runs.readPublishedFlow>, service: Caller<typeof runs.readPublishedFlow>) {
    return this.present(service, params.flowId);
  }

  @Serves(ownerRuns.readOwnPublishedFlow)
  async readOwn(
    { params: { id, flowId } }: Input<typeof ownerRuns.readOwnPublishedFlow>,
    { company_user_id }: Caller<typeof ownerRuns.readOwnPublishedFlow>,
  ) {
    const own = { company_user_id, service_id: id };
    await findService(this.db, own);
    return this.present(own, flowId);
  }

  /** Returns the definition and the request fields of the service, both read at the same moment. */
  private present(own: OwnService, flow_id: string) {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const { version, definition } = await this.published.current(tx, own, flow_id);
      const fields = await listRequestFields(tx, own);
      return { version, definition, request_field_types: Object.fromEntries(fields.map(({ slug, type }) => [slug, type])) };
    });
  }
}
