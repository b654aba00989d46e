import { webhooks, type FeedEvent } from '@cds/contracts';
import { WebhookReceiver, type Backend, type Company } from '@cds/testing';
import { publishMailField } from '../request-field.ts';
import type { Cleanup } from '../cleanup.ts';
import { Drainer } from './drainer.ts';
import type { Edit } from './editor.ts';
import { judgeHook, judgePull, sum, receivedEdits } from './judge.ts';

/** A service of a company that asks for one thing, and receives each edit twice: from its feed, which it drains, and by a webhook. */
export class EventReceiver {
  private constructor(
    private readonly service_id: string,
    private readonly drainer: Drainer,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async open(company: Company, backend: Backend, { leased }: { leased: boolean }, cleanup: Cleanup): Promise<EventReceiver> {
    const params = { id: backend.service_id! };
    await publishMailField(company, params.id);
    const receiver = await WebhookReceiver.open();
    cleanup.push(() => receiver.close());
    await company.asks(webhooks.createWebhook, { params, body: { url: receiver.url, auth_type: 'none' } });
    const drainer = new Drainer(backend, { leased });
    cleanup.push(() => drainer.stop());
    return new EventReceiver(params.id, drainer, receiver);
  }

  get drained(): number {
    return this.drainer.received.length;
  }

  get delivered(): number {
    return this.receiver.deliveries.length;
  }

  verdict(edits: readonly Edit[]): ReturnType<typeof sum> {
    const own = edits.filter(({ service_id }) => service_id === this.service_id);
    const delivered = this.receiver.deliveries.map(({ body }) => JSON.parse(body.toString('utf8')) as FeedEvent);
    return sum([judgePull(this.drainer.received, own), judgeHook(receivedEdits(delivered), own)]);
  }
}
