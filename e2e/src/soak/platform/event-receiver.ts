import { webhooks, type FeedEvent } from '@codase/contracts';
import { WebhookReceiver, type Backend, type Company } from '@codase/testing';
import { publishMailField } from '../request-field.ts';
import type { Cleanup } from '../cleanup.ts';
import { Drainer } from './drainer.ts';
import type { Edit } from './edit.ts';
import { addUp } from '../tally.ts';
import { judgeHook, judgePull, receivedEdits, type Judged, type ReceivedEdit } from './judge.ts';

/** A service of a company with one request field. It receives each edit twice: from its feed, which it drains, and by a webhook. */
export class EventReceiver {
  private readonly posted: ReceivedEdit[] = [];
  private postedTurns = 0;

  private constructor(
    readonly backend: Backend,
    readonly webhook_id: string,
    private readonly drainer: Drainer,
    receiver: WebhookReceiver,
  ) {
    // Bodies may be long and there are many, so only the needed parts are kept.
    receiver.answer((delivery) => {
      const event = JSON.parse(delivery.body.toString('utf8')) as FeedEvent;
      this.posted.push(...receivedEdits([event]));
      if (event.event === 'flow_run_turn') this.postedTurns += 1;
      Object.assign(delivery, { body: Buffer.alloc(0), headers: {} });
      return { status: 200 };
    });
  }

  static async open(company: Company, backend: Backend, { leased }: { leased: boolean }, cleanup: Cleanup): Promise<EventReceiver> {
    const params = { id: backend.service_id! };
    await publishMailField(company, params.id);
    const receiver = await WebhookReceiver.open();
    cleanup.push(() => receiver.close());
    const { id } = await company.asks(webhooks.createWebhook, { params, body: { url: receiver.url, auth_type: 'none' } });
    const drainer = new Drainer(backend, { leased });
    cleanup.push(() => drainer.stop());
    return new EventReceiver(backend, id, drainer, receiver);
  }

  get drained(): number {
    return this.drainer.received.length;
  }

  get delivered(): number {
    return this.posted.length;
  }

  get cuts(): number {
    return this.drainer.cuts;
  }

  /** Returns how many of this many turns the webhook has not received yet. */
  pending(turns: number): number {
    return turns - this.postedTurns;
  }

  /** Judges both channels. Doubtful events may have arrived or not, so they are left out. */
  verdict(edits: readonly Edit[], kills: number, doubtful: ReadonlySet<string>): Judged {
    const own = edits.filter(({ service_id }) => service_id === this.backend.service_id);
    const certain = (received: readonly ReceivedEdit[]) => received.filter(({ value }) => !doubtful.has(value ?? ''));
    return addUp(judgePull(certain(this.drainer.received), own), judgeHook(certain(this.posted), own, kills));
  }
}
