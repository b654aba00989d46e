import { Controller, Inject } from '@nestjs/common';
import { feed, Refusal, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { eventsOf } from './channel.store.ts';
import { Drains } from './drains.service.ts';

/** Drains the pull feed of a service or, on request, the backlog of one of its webhooks. @spec D1-4.3 */
@Controller()
export class ChangesHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly drains: Drains,
  ) {}

  @Serves(feed.drainChanges)
  async drain({ query }: Input<typeof feed.drainChanges>, caller: Caller<typeof feed.drainChanges>) {
    const { company_user_id, service_id } = caller;
    const { webhook_id, lease } = query;
    const wanted = webhook_id === undefined ? undefined : await eventsOf(this.db, { webhook_id, service_id });
    if (webhook_id !== undefined && !wanted) throw new Refusal('services.webhook_not_found');
    const from = { company_user_id, channel: webhook_id ?? service_id, wanted };
    return lease === undefined ? this.drains.drain(from) : this.drains.lease(from, lease);
  }
}
