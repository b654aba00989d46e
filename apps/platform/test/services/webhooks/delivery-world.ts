import type { IncomingMessage } from 'node:http';
import { services, webhooks, type Endpoint, type Output, type Refusal, type Request } from '@codase/contracts';
import { importAccountPrivateKey, openAccountEnvelope, readPrivateKeyPem } from '@codase/crypto/open';
import { many, one, sql } from '@codase/runtime/db';
import { WebhookReceiver, WorldFixture, type Company, type Duration } from '@codase/testing';
import { emit, type EventBody } from '../../../src/services/feed/index.ts';
import { beginsToDrain } from '../feed/feed-world.ts';

type Webhook = Output<typeof webhooks.createWebhook>;
type Delivery = Awaited<ReturnType<WebhookReceiver['next']>>;
type Config = Omit<Request<typeof webhooks.createWebhook>['body'], 'url'> & { url?: string };

/** Reads the company's account key, once for a world: it takes 100,000 rounds of hashing. */
const accountKeyOf = async ({ keys }: Pick<Company, 'keys'>) => importAccountPrivateKey(await readPrivateKeyPem(keys.pem, keys.passphrase));

/** A company in eu whose service has webhooks, their endpoint, and events that are written into the database. */
export class DeliveryWorld extends WorldFixture {
  protected override readonly units = ['front-door', 'region-eu', 'delivery'] as const;
  private readonly receivers: WebhookReceiver[] = [];
  private readonly hooks: Webhook[] = [];
  private accountKey: ReturnType<typeof accountKeyOf> | undefined;

  override async close(): Promise<void> {
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    await super.close();
  }

  get service_id(): string {
    return this.shop.service_id!;
  }

  async receiver(options: { tls?: boolean } = {}): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.open(options);
    this.receivers.push(receiver);
    return receiver;
  }

  /** Creates a webhook of the service with this configuration. No two tests share one. */
  async hook(receiver: { url: string }, config: Config = {}): Promise<Webhook> {
    const hook = await this.asks(webhooks.createWebhook, { params: { id: this.service_id }, body: { url: receiver.url, ...config } });
    this.hooks.push(hook);
    return hook;
  }

  /** Creates a webhook with an endpoint of its own. */
  async hooked(config: Config = {}): Promise<{ receiver: WebhookReceiver; hook: Webhook }> {
    const receiver = await this.receiver();
    return { receiver, hook: await this.hook(receiver, config) };
  }

  /** Removes the webhooks of a test, so that the next test's events do not reach them. The test may have deleted some itself. */
  async removeHooks(): Promise<void> {
    for (const hook of this.hooks.splice(0)) {
      await this.remove(hook).catch((error: Refusal) => {
        if (error.key !== 'services.webhook_not_found') throw error;
      });
    }
  }

  read({ id: webhookId }: { id: string }): Promise<Output<typeof webhooks.readWebhook>> {
    return this.asks(webhooks.readWebhook, { params: { id: this.service_id, webhookId } });
  }

  change({ id: webhookId }: { id: string }, body: Request<typeof webhooks.changeWebhook>['body']) {
    return this.asks(webhooks.changeWebhook, { params: { id: this.service_id, webhookId }, body });
  }

  remove({ id: webhookId }: { id: string }) {
    return this.asks(webhooks.deleteWebhook, { params: { id: this.service_id, webhookId } });
  }

  tests({ id: webhookId }: { id: string }) {
    return this.asks(webhooks.testWebhook, { params: { id: this.service_id, webhookId } });
  }

  /** Opens a body that was wrapped for the company's account. */
  async opensPayload(body: Buffer): Promise<string> {
    this.accountKey ??= accountKeyOf(this.world.acme);
    return openAccountEnvelope(await this.accountKey, body.toString('utf8'));
  }

  /** What the log says of a webhook, the oldest first. */
  async logOf({ id }: { id: string }): Promise<{ kind: string; message: string }[]> {
    const { items } = await this.asks(services.readServiceLogs, { params: { id: this.service_id }, query: { limit: 200 } });
    return items
      .filter(({ webhook_id }) => webhook_id === id)
      .map(({ kind, message }) => ({ kind, message }))
      .toReversed();
  }

  /** Sends a request as the owner, with a new token each time, because the clock moves in a test. */
  async asks<E extends Endpoint>(contract: E, request: Request<E>): Promise<Output<E>> {
    const token = await this.world.mints({ client_id: this.world.automation.client_id, sub: this.world.acme.user_id });
    return this.world.stranger.asks(contract, request, { at: this.world.regionUrl('eu'), token });
  }

  get now(): Date {
    return this.world.now;
  }

  passes({ days = 0, hours = 0, ...duration }: Duration & { days?: number }): Promise<void> {
    return this.world.passes({ ...duration, hours: hours + 24 * days });
  }

  /** People connect, one after the other. */
  async connect(...people: string[]): Promise<void> {
    for (const person_user_id of people)
      await this.happens({
        event: 'connection_created',
        person_user_id,
        share_code: null,
        at: this.now.toISOString(),
        customer_type: 'person',
      });
  }

  async happens(...events: EventBody[]): Promise<void> {
    const { company_user_id } = (await one<{ company_user_id: string }>(
      this.db,
      sql`select company_user_id from service where service_id = ${this.service_id}`,
    ))!;
    const news = events.map((event) => ({ company_user_id, service_id: this.service_id, connection_id: 'con_test', event }));
    await this.db.transaction((tx) => emit(tx, news));
  }

  beginsToDrain({ id }: { id: string }): Promise<IncomingMessage> {
    return beginsToDrain(this.shop, `?webhook_id=${id}`);
  }

  /** Emits more events than a connection buffers while nobody reads. */
  async muchHappens(): Promise<void> {
    const at = this.now.toISOString();
    await this.happens(
      ...Array.from(
        { length: 60 },
        (_, nth) =>
          ({
            event: 'message_received',
            person_user_id: 'user_1',
            share_code: null,
            at,
            connection_id: 'con_1',
            message_id: `msg_${nth}`,
            person_public_key: 'MIIB',
            created_at: at,
            body: 'x'.repeat(64 * 1024),
          }) as EventBody,
      ),
    );
  }

  async queued({ id }: { id: string }): Promise<{ id: string; person: string }[]> {
    return many(this.db, sql`select id, body ->> 'person_user_id' as person from feed_event where channel = ${id} order by seq`);
  }
}

export const eventOf = ({ body }: Delivery) =>
  JSON.parse(body.toString('utf8')) as { id: string; event: string; person_user_id: string; [member: string]: unknown };
export const peopleIn = (deliveries: readonly Delivery[]): string[] => deliveries.map((delivery) => eventOf(delivery).person_user_id);
