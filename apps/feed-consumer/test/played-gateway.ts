import {
  connections,
  FEED,
  feed,
  operation,
  PARKED,
  Refusal,
  type Connection,
  type FeedEvent,
  type Output,
  type Sealed,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { eventually, type World } from '@codase/testing';

interface Page {
  limit?: number;
  cursor?: string;
}

type ListedPage = Output<typeof connections.listConnections>;

const AT = '2026-03-02T10:00:00.000Z';
const sealed = (text: string) => JSON.stringify({ k: 'k', iv: 'iv', d: text }) as Sealed;

/** A message of a stream, as a consumer would see it. */
export interface Streamed {
  subject: string;
  event: FeedEvent;
  header(name: string): string;
}

/**
 * Plays the gateway with a platform behind it: a queue that deletes what it hands out, and connections in their present state. A test
 * chooses what happens after events are taken and before they are answered.
 */
export class PlayedGateway {
  readonly queue: FeedEvent[] = [];
  readonly connections = new Map<string, Connection>();
  perDrain = 500;
  /** A service whose drains always bring more. The events of the queue are for the other services. */
  flooding: string | undefined;
  /** How many drains of that service bring events. */
  floods = Infinity;
  /** Whether drains can be acknowledged, or the request for a lease is ignored or refused. */
  leases: 'offered' | 'ignored' | 'refused' = 'ignored';
  private handedOut: { lease: string; count: number } | undefined;
  drains = 0;
  lists = 0;
  /** Called with the taken events, before they are answered. */
  onTaken: (taken: readonly FeedEvent[]) => Promise<void> | void = () => undefined;
  /** Called for each page, before it is answered. */
  onListed: () => Promise<void> | void = () => undefined;
  private made = 0;
  private readonly onTheirWay = new Map<string, Promise<ListedPage>>();

  /** `bus` is the bus as an operator sees it. */
  private constructor(readonly bus: Bus) {}

  static async open(world: World): Promise<PlayedGateway> {
    const gateway = new PlayedGateway(await world.operator('suite'));
    const played = await world.busAs('gateway');
    await played.answer(operation(feed.drainChanges), {}, (message, { service }) =>
      service === gateway.flooding ? gateway.flood() : gateway.drain((message as { query: { lease?: string } }).query),
    );
    await played.answer(operation(connections.listConnections), {}, (message) => gateway.list((message as { query: Page }).query));
    return gateway;
  }

  /** A person edits a field: the connection changes and, by default, an event reports it. */
  edits(person: string, slug: string, text: string, { told: announced = true } = {}): FeedEvent {
    const connection = this.connected(person);
    const value = sealed(text);
    connection.values[slug] = { value, live: true, updated_at: AT };
    const event: FeedEvent = { event: 'field_updated', ...this.every(person), slug, live: true, value };
    if (announced) this.queue.push(event);
    return event;
  }

  writes(person: string): FeedEvent {
    const event = this.message(person);
    this.queue.push(event);
    return event;
  }

  private message(person: string): FeedEvent {
    return {
      event: 'message_received',
      ...this.every(person),
      connection_id: `conn_${person}`,
      message_id: `msg_${this.made}`,
      person_public_key: 'spki',
      created_at: AT,
      body: sealed(`hello ${this.made}`),
    };
  }

  leaves(person: string, { told: announced = true } = {}): void {
    this.connections.delete(person);
    if (announced) this.queue.push({ event: 'connection_deleted', ...this.every(person), customer_type: 'person' });
  }

  /** Returns the messages of a stream, the oldest first, as soon as there are at least `count`. */
  async streamed(count: number, { seconds = 120, stream = FEED.stream! } = {}): Promise<Streamed[]> {
    const manager = await this.bus.manager();
    const isThere = async () => ((await manager.streams.info(stream)).state.messages >= count ? true : undefined);
    await eventually(isThere, { seconds });
    const { first_seq, last_seq } = (await manager.streams.info(stream)).state;
    const messages = [];
    for (let seq = first_seq; seq <= last_seq; seq++) messages.push((await manager.streams.getMessage(stream, { seq }))!);
    return messages.map((message) => ({
      subject: message.subject,
      event: asJson(message.data),
      header: (name: string) => message.header.get(name),
    }));
  }

  parked(count: number): Promise<Streamed[]> {
    return this.streamed(count, { stream: PARKED.stream! });
  }

  private async drain({ lease }: { lease?: string }) {
    this.drains++;
    if (lease && this.leases === 'refused') throw new Refusal('request.invalid');
    return lease && this.leases === 'offered' ? this.lend(lease) : this.handOver();
  }

  /** Deletes acknowledged events from the queue. Events that are not acknowledged are handed out again. */
  private async lend(acknowledged: string) {
    if (this.handedOut?.lease === acknowledged) this.queue.splice(0, this.handedOut.count);
    const events = this.queue.slice(0, this.perDrain);
    const lease = `lease_${this.drains}`;
    this.handedOut = { lease, count: events.length };
    await this.onTaken(events);
    return { events, more: this.queue.length > events.length, lease };
  }

  private async flood() {
    if (this.floods-- <= 0) return { events: [], more: false };
    const events = Array.from({ length: this.perDrain }, (_, n) => this.message(`usr_${n}`));
    return { events, more: true };
  }

  private async handOver() {
    const events = this.queue.splice(0, this.perDrain);
    await this.onTaken(events);
    return { events, more: this.queue.length > 0 };
  }

  /** Gives the same page to a request that is repeated before the page is ready: on a slow machine the bus repeats idempotent requests. */
  private list({ limit = 50, cursor = '0' }: Page): Promise<ListedPage> {
    const page = this.onTheirWay.get(cursor) ?? this.readPage(Number(cursor), limit).finally(() => this.onTheirWay.delete(cursor));
    this.onTheirWay.set(cursor, page);
    return page;
  }

  private async readPage(from: number, limit: number): Promise<ListedPage> {
    this.lists++;
    const all = structuredClone([...this.connections.values()]);
    await this.onListed();
    return { items: all.slice(from, from + limit), next_cursor: from + limit < all.length ? String(from + limit) : null };
  }

  private connected(person: string): Connection {
    const known = this.connections.get(person);
    if (known) return known;
    const connection: Connection = {
      id: `conn_${person}`,
      person_id: person,
      display_name: person,
      connected_at: AT,
      customer_type: 'person',
      share_code: null,
      values: {},
      values_private: {},
    };
    this.connections.set(person, connection);
    return connection;
  }

  private every(person_user_id: string) {
    return { id: `evt_${++this.made}`, person_user_id, share_code: null, at: AT };
  }
}

const asJson = (data: Uint8Array): FeedEvent => {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8')) as FeedEvent;
  } catch {
    return Buffer.from(data).toString('utf8') as never;
  }
};
