import { Controller } from '@nestjs/common';
import { webhooks as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Webhooks } from './webhooks.service.ts';

type Owner = Caller<typeof contracts.listWebhooks>;

/** Webhooks of a company's services. @spec D1-2.9 @gap D1-4.7 */
@Controller()
export class WebhooksHttp {
  constructor(private readonly webhooks: Webhooks) {}

  @Serves(contracts.listWebhooks)
  async list({ params }: Input<typeof contracts.listWebhooks>, caller: Owner) {
    return { items: await this.webhooks.list(ofService(params, caller)), next_cursor: null };
  }

  @Serves(contracts.createWebhook)
  create({ params, body }: Input<typeof contracts.createWebhook>, caller: Owner) {
    return this.webhooks.create(ofService(params, caller), body);
  }

  @Serves(contracts.readWebhook)
  read({ params }: Input<typeof contracts.readWebhook>, caller: Owner) {
    return this.webhooks.read(ofWebhook(params, caller));
  }

  @Serves(contracts.changeWebhook)
  change({ params, body }: Input<typeof contracts.changeWebhook>, caller: Owner) {
    return this.webhooks.change(ofWebhook(params, caller), body);
  }

  @Serves(contracts.deleteWebhook)
  remove({ params }: Input<typeof contracts.deleteWebhook>, caller: Owner) {
    return this.webhooks.remove(ofWebhook(params, caller));
  }

  @Serves(contracts.testWebhook)
  test({ params }: Input<typeof contracts.testWebhook>, caller: Owner) {
    return this.webhooks.test(ofWebhook(params, caller));
  }
}

const ofService = ({ id }: { id: string }, { company_user_id }: Owner) => ({ company_user_id, service_id: id });
const ofWebhook = (params: { id: string; webhookId: string }, caller: Owner) => ({
  ...ofService(params, caller),
  webhook_id: params.webhookId,
});
