import { randomUUID } from 'node:crypto';
import { Refusal, TEST_HEADER } from '@codase/contracts';
import type { Clock } from '@codase/runtime/clock';
import { execute } from '@codase/runtime/db';
import { FairSemaphore } from '@codase/runtime/resilience';
import type { Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { newId } from '../../../kit/ids.ts';
import type { DeliveriesStore } from './deliveries.store.ts';
import type { Dispatcher } from './dispatcher.service.ts';
import type { DeliveryResult, WebhookTarget } from './pending-delivery.ts';
import { DEADLINE_MS } from './outgoing.service.ts';

/** The notification channels of Postgres on which tests are requested and answered. */
const REQUESTED = 'webhook_test';
const ANSWERED = 'webhook_tested';
/** How long a test may take: it may wait for a delivery under way, and last as long itself. */
const TEST_MS = 2 * DEADLINE_MS + 2000;
/** How many tests run at once, in all and of one company. A webhook has one test at a time. */
const AT_ONCE = { total: 64, each: 8 } as const;

/** Returns the result of a test that was not sent. */
const notSent = (reason: string): DeliveryResult => ({ delivered: false, status: null, reason });
const DISABLED = notSent('the webhook is disabled: enable it first');
const IN_TEST = notSent('another test of the webhook is under way: test it again after that');
const TOO_MANY = notSent('too many webhooks are being tested at once: test it again in a moment');
const CHANGED = notSent('the webhook was changed meanwhile, or another process delivers for it now: test it again');

interface TestRequest {
  test_id: string;
  webhook_id: string;
}

interface TestDeliveriesParts {
  db: DataSource;
  store: DeliveriesStore;
  dispatcher: Dispatcher;
  clock: Clock;
  log: Log;
}

/**
 * Test deliveries. The process that is asked notifies the others through the database, and the process that delivers for the webhook sends
 * the test: only that one knows when nothing else of the webhook is on its way. A test that cannot run now is answered at once, so that
 * endpoints which never answer do not gather tests. Health and backlog stay as they are. A bad webhook that answered 200 is probed at once.
 * @spec D1-6.3 @gap D1-4.7 @gap D1-3.2
 */
export class TestDeliveries {
  private readonly awaited = new Map<string, (result: DeliveryResult) => void>();
  private readonly inTest = new Set<string>();
  private readonly atOnce = new FairSemaphore(AT_ONCE);

  constructor(private readonly parts: TestDeliveriesParts) {}

  /** The listeners for notifications, by channel. */
  readonly listeners = {
    [REQUESTED]: (payload: string) =>
      void this.run(JSON.parse(payload) as TestRequest).catch((error: unknown) =>
        this.parts.log.error('a test delivery failed', { error }),
      ),
    [ANSWERED]: (payload: string) => {
      const { test_id, ...result } = JSON.parse(payload) as DeliveryResult & Pick<TestRequest, 'test_id'>;
      this.awaited.get(test_id)?.(result);
    },
  };

  async request(webhook_id: string): Promise<DeliveryResult> {
    const webhook = await this.parts.store.target(webhook_id);
    if (!webhook) throw new Refusal('services.webhook_not_found');
    if (!webhook.enabled) return DISABLED;
    const test_id = randomUUID();
    const [result] = await Promise.all([this.answerTo(test_id), this.notify(REQUESTED, { test_id, webhook_id })]);
    return result;
  }

  /** Waits for the result of a test. No result comes when no process delivers for the webhook, as just after a crash. */
  private answerTo(test_id: string): Promise<DeliveryResult> {
    return new Promise<DeliveryResult>((resolve, reject) => {
      const late = setTimeout(() => reject(new Refusal('service.unavailable')), TEST_MS);
      this.awaited.set(test_id, (result) => {
        clearTimeout(late);
        resolve(result);
      });
    }).finally(() => this.awaited.delete(test_id));
  }

  private async run({ test_id, webhook_id }: TestRequest): Promise<void> {
    if (!this.parts.dispatcher.isOurs(webhook_id)) return;
    const result = await this.alone(webhook_id, () => this.test(webhook_id));
    await this.notify(ANSWERED, { test_id, ...result });
  }

  /** Does a test unless another one of the webhook is under way. */
  private async alone(webhook_id: string, test: () => Promise<DeliveryResult>): Promise<DeliveryResult> {
    if (this.inTest.has(webhook_id)) return IN_TEST;
    this.inTest.add(webhook_id);
    try {
      return await test();
    } finally {
      this.inTest.delete(webhook_id);
    }
  }

  private async test(webhook_id: string): Promise<DeliveryResult> {
    const startedAt = performance.now();
    const company_user_id = (await this.parts.store.target(webhook_id))?.company_user_id;
    if (company_user_id === undefined) return CHANGED;
    if (!this.atOnce.isFree(company_user_id)) return TOO_MANY;
    return this.atOnce.run(company_user_id, () => this.send(webhook_id, () => performance.now() - startedAt + DEADLINE_MS < TEST_MS));
  }

  /** Sends a made-up event, which is marked as a test, while it is awaited: whoever asked for the test gives up after a while. */
  private async send(webhook_id: string, isAwaited: () => boolean): Promise<DeliveryResult> {
    const { store, clock, dispatcher } = this.parts;
    let webhook: WebhookTarget | undefined;
    const read = async () => {
      webhook = isAwaited() ? await store.target(webhook_id) : undefined;
      return webhook?.enabled ? webhook : undefined;
    };
    const event = {
      id: newId('evt'),
      event: 'connection_created',
      person_user_id: 'test',
      share_code: null,
      at: clock.now().toISOString(),
      customer_type: 'person',
    } as const;
    const result = await dispatcher.sendBeside(webhook_id, read, { event, headers: { [TEST_HEADER.toLowerCase()]: 'true' } });
    if (result?.delivered) await store.probeAtOnce(webhook!, clock.now());
    return result ?? CHANGED;
  }

  private notify(channel: string, payload: object): Promise<unknown> {
    return execute(this.parts.db)`select pg_notify(${channel}, ${JSON.stringify(payload)})`;
  }
}
