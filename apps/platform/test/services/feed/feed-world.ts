import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { feed, type FeedEvent, type Output } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { WorldFixture, type Backend, type Duration } from '@codase/testing';
import type { EntityManager } from 'typeorm';
import { emit, type EventBody, type NewEvent } from '../../../src/services/feed/index.ts';

type Said<E> = E extends EventBody ? Omit<E, 'person_user_id' | 'share_code' | 'at'> : never;
/** An event without the members that are the same for all events here. */
type GivenEvent = Said<EventBody>;

export const PERSON = { person_user_id: 'usr_demo_ana', share_code: 'ANA' } as const;

/** A world that emits events of the demo shop, as the capabilities above the feed would. */
export class FeedWorld extends WorldFixture {
  protected override readonly units = ['front-door', 'region-eu'] as const;

  /** Emits events of the demo shop in one transaction, at the world's time unless they have another. */
  async happens(...given: GivenEvent[]): Promise<void> {
    await this.db.transaction((tx) => this.emits(tx, ...given));
  }

  /** Does the same in a transaction that does more. */
  emits(tx: EntityManager, ...given: GivenEvent[]): Promise<void> {
    return emit(
      tx,
      given.map((event) => this.newEvent(event)),
    );
  }

  /** Events of turns of `count` different runs: `run_0`, `run_1` … */
  turns(count: number, first = 0): GivenEvent[] {
    return Array.from({ length: count }, (_, i) => ({
      event: 'flow_run_turn',
      flow_run_id: `run_${first + i}`,
      awaiting_party: 'company',
    }));
  }

  /** A message whose sealed body has so many characters. */
  message(nth: number, chars: number): GivenEvent {
    return {
      event: 'message_received',
      connection_id: 'con_1',
      message_id: `msg_${nth}`,
      person_public_key: 'MIIB',
      created_at: this.now,
      body: 'x'.repeat(chars),
    } as GivenEvent;
  }

  drains(query: { webhook_id?: string; lease?: string } = {}): Promise<Output<typeof feed.drainChanges>> {
    return this.shop.feed.drains(query);
  }

  beginsToDrain(): Promise<IncomingMessage> {
    return beginsToDrain(this.shop);
  }

  /** Emits more events than a connection buffers while nobody reads, and returns their ids. */
  async muchHappens(): Promise<string[]> {
    await this.happens(...Array.from({ length: 60 }, (_, i) => this.message(i, 64 * 1024)));
    return this.waiting();
  }

  /** The ids of the events that wait in the shop's pull feed. */
  async waiting(): Promise<string[]> {
    const rows = await many<{ id: string }>(this.db, sql`select id from feed_event where channel = ${this.shop.service_id} order by seq`);
    return rows.map(({ id }) => id);
  }

  /** Drains until nothing is left. */
  async drainsAll(): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    for (let more = true; more;) {
      const drained = await this.drains();
      events.push(...drained.events);
      more = drained.more;
    }
    return events;
  }

  /** Lets time pass. A token expires after an hour, so the shop gets another. */
  async passes(duration: Duration): Promise<void> {
    await this.world.passes(duration);
    await this.shop.getsToken();
  }

  get now(): string {
    return this.world.now.toISOString();
  }

  private newEvent(given: GivenEvent): NewEvent {
    const { company_user_id, service_id } = this.shop;
    const event = { ...PERSON, at: this.now, ...given } as EventBody;
    return { company_user_id, service_id: service_id!, connection_id: 'con_1', event };
  }
}

/** Begins a drain whose answer is not read yet: the head has arrived, and as much of the rest as a connection buffers by itself. */
export async function beginsToDrain(shop: Backend, query = ''): Promise<IncomingMessage> {
  const { access_token, api_url } = await shop.getsToken();
  const headers = { authorization: `Bearer ${access_token}` };
  const pending = request(`${api_url}${feed.drainChanges.path}${query}`, { headers, agent: false });
  pending.on('error', () => undefined).end();
  const [answer] = (await once(pending, 'response')) as [IncomingMessage];
  return answer.on('error', () => undefined).pause();
}

/** The run ids of the turns, which distinguish them. */
export const runsOf = (events: readonly FeedEvent[]): string[] =>
  events.flatMap((event) => (event.event === 'flow_run_turn' ? event.flow_run_id : []));
