import { randomUUID } from 'node:crypto';
import { Refusal, TEST_HEADER } from '@cds/contracts';
import type { Clock } from '@cds/runtime/clock';
import { many, sql } from '@cds/runtime/db';
import type { Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { newId } from '../../ids.ts';
import type { DeliveriesStore } from './deliveries.store.ts';
import type { Dispatcher } from './dispatcher.service.ts';
import type { Met } from './due.ts';
import { DEADLINE_MS } from './outgoing.service.ts';

/** The channels of Postgres on which tests are asked for, and answered. */
const ASKED = 'webhook_test';
const ANSWERED = 'webhook_tested';
/** A delivery may be under way before it, and it may take as long itself. */
const TEST_MS = 2 * DEADLINE_MS + 2000;

interface Trial {
  trial_id: string;
  webhook_id: string;
}

export interface TrialsParts {
  db: DataSource;
  store: DeliveriesStore;
  dispatcher: Dispatcher;
  clock: Clock;
  log: Log;
}

/**
 * Test deliveries. Whoever is asked tells the database, and the process that delivers for the webhook sends it: only there is known when
 * nothing else of the webhook is on its way. Health and backlog stay as they are. @spec D1-6.3 @gap D1-4.7
 */
export class Trials {
  private readonly awaited = new Map<string, (met: Met) => void>();

  constructor(private readonly parts: TrialsParts) {}

  /** What to do with what is heard. */
  readonly heard = {
    [ASKED]: (said: string) =>
      void this.run(JSON.parse(said) as Trial).catch((error: unknown) => this.parts.log.error('a test delivery failed', { error })),
    [ANSWERED]: (said: string) => {
      const { trial_id, ...met } = JSON.parse(said) as Met & Pick<Trial, 'trial_id'>;
      this.awaited.get(trial_id)?.(met);
    },
  };

  async ask(webhook_id: string): Promise<Met> {
    const webhook = await this.parts.store.target(webhook_id);
    if (!webhook) throw new Refusal('services.webhook_not_found');
    if (!webhook.enabled) return { delivered: false, status: null, reason: 'the webhook is disabled: enable it first' };
    const trial_id = randomUUID();
    const answer = this.answerTo(trial_id);
    await this.tell(ASKED, { trial_id, webhook_id });
    return answer;
  }

  /** Where nobody delivers for the webhook, as just after a crash, there is no answer. */
  private answerTo(trial_id: string): Promise<Met> {
    return new Promise<Met>((resolve, reject) => {
      const patience = setTimeout(() => reject(new Refusal('service.unavailable')), TEST_MS);
      this.awaited.set(trial_id, (met) => {
        clearTimeout(patience);
        resolve(met);
      });
    }).finally(() => this.awaited.delete(trial_id));
  }

  /** A made-up event, marked as such. */
  private async run({ trial_id, webhook_id }: Trial): Promise<void> {
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
    const met = await this.parts.dispatcher.sendBeside(webhook, event, { [TEST_HEADER.toLowerCase()]: 'true' });
    if (met) await this.tell(ANSWERED, { trial_id, ...met });
  }

  private tell(channel: string, said: object): Promise<unknown> {
    return many(this.parts.db, sql`select pg_notify(${channel}, ${JSON.stringify(said)})`);
  }
}
