import { webhooks, type FeedEvent } from '@cds/contracts';
import { WebhookReceiver, type Backend, type Company } from '@cds/testing';
import { asksForMail } from '../asks-for.ts';
import type { Closing } from '../closing.ts';
import { Drainer } from './drainer.ts';
import type { Edit } from './editor.ts';
import { judgeHook, judgePull, sum, toldOf } from './judge.ts';

/** A service of a company that asks for one thing, and hears of its edits twice: it drains its feed, and has a webhook. */
export class Hearing {
  private constructor(
    private readonly service_id: string,
    private readonly drainer: Drainer,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async open(company: Company, backend: Backend, { leased }: { leased: boolean }, closing: Closing): Promise<Hearing> {
    const params = { id: backend.service_id! };
    await asksForMail(company, params.id);
    const receiver = await WebhookReceiver.open();
    closing.push(() => receiver.close());
    await company.asks(webhooks.createWebhook, { params, body: { url: receiver.url, auth_type: 'none' } });
    const drainer = new Drainer(backend, { leased });
    closing.push(() => drainer.stop());
    return new Hearing(params.id, drainer, receiver);
  }

  get drained(): number {
    return this.drainer.told.length;
  }

  get delivered(): number {
    return this.receiver.deliveries.length;
  }

  verdict(edits: readonly Edit[]): ReturnType<typeof sum> {
    const own = edits.filter(({ service_id }) => service_id === this.service_id);
    const delivered = this.receiver.deliveries.map(({ body }) => JSON.parse(body.toString('utf8')) as FeedEvent);
    return sum([judgePull(this.drainer.told, own), judgeHook(toldOf(delivered), own)]);
  }
}
