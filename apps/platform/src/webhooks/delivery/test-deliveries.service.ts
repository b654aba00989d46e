import { randomUUID } from 'node:crypto';
import { Refusal, TEST_HEADER } from '@cds/contracts';
import type { Clock } from '@cds/runtime/clock';
import { many, sql } from '@cds/runtime/db';
import type { Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { newId } from '../../ids.ts';
import type { DeliveriesStore } from './deliveries.store.ts';
import type { Dispatcher } from './dispatcher.service.ts';
import type { DeliveryResult } from './pending-delivery.ts';
import { DEADLINE_MS } from './outgoing.service.ts';

/** The notification channels of Postgres on which tests are requested and answered. */
const REQUESTED = 'webhook_test';
const ANSWERED = 'webhook_tested';
/** How long a test may take: it may wait for a delivery under way, and last as long itself. */
const TEST_MS = 2 * DEADLINE_MS + 2000;

interface TestRequest {
  test_id: string;
  webhook_id: string;
}

export interface TestDeliveriesParts {
  db: DataSource;
  store: DeliveriesStore;
  dispatcher: Dispatcher;
  clock: Clock;
  log: Log;
}

/**
 * Test deliveries. The process that is asked notifies the others through the database, and the process that delivers for the webhook sends
 * the test: only that one knows when nothing else of the webhook is on its way. Health and backlog stay as they are. A bad webhook that
 * answered 200 is probed at once. @spec D1-6.3 @gap D1-4.7 @gap D1-3.2
 */
export class TestDeliveries {
  private readonly awaited = new Map<string, (result: DeliveryResult) => void>();

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
    if (!webhook.enabled) return { delivered: false, status: null, reason: 'the webhook is disabled: enable it first' };
    const test_id = randomUUID();
    const answer = this.answerTo(test_id);
    await this.notify(REQUESTED, { test_id, webhook_id });
    return answer;
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

  /** Sends a made-up event, which is marked as a test. */
  private async run({ test_id, webhook_id }: TestRequest): Promise<void> {
    if (!this.parts.dispatcher.isOurs(webhook_id)) return;
    const webhook = await this.parts.store.target(webhook_id);
    if (!webhook) return;
    const at = this.parts.clock.now().toISOString();
    const event = {
      id: newId('evt'),
      event: 'connection_created',
      person_user_id: 'test',
      share_code: null,
      at,
      customer_type: 'person',
    } as const;
    const result = await this.parts.dispatcher.sendBeside(webhook, event, { [TEST_HEADER.toLowerCase()]: 'true' });
    if (result?.delivered) await this.parts.store.probeAtOnce(webhook, this.parts.clock.now());
    if (result) await this.notify(ANSWERED, { test_id, ...result });
  }

  private notify(channel: string, payload: object): Promise<unknown> {
    return many(this.parts.db, sql`select pg_notify(${channel}, ${JSON.stringify(payload)})`);
  }
}
