import { AckPolicy, type ConsumerInfo, type JetStreamManager } from '@nats-io/jetstream';
import { FEED, filter, PARKED, RECONCILED_HEADER, RESENT_HEADER, STATUS, valuesOf } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';

/** How a service answered, each of its replicas for itself; not at all is null. */
export interface ServiceHealth {
  name: string;
  answer: { ready: boolean; checks: Record<string, string>; started_at: string } | null;
}

/** The newest event of a service on the bus. */
export interface FeedHealth {
  service: string;
  at: string;
  /** From the moment of the change to the moment when the stream had it; null for one that came late by intent. */
  delay_ms: number | null;
}

/** The consumers of one group of handlers, taken together. */
export interface GroupHealth {
  group: string;
  /** Events that are on the stream and not handled yet. */
  pending: number;
  /** How long the oldest of them has been there. */
  waiting_ms: number;
}

/** What a consumer gave up on and an operator may look at. */
export interface ParkedHealth {
  group: string;
  events: number;
  newest_at: string;
}

/** A replica that is unwell says so when its own checks have given up, after two seconds. Nobody knows how many there are to wait for. */
const ANSWER_MS = 2500;
const MOST_REPLICAS = 1000;

/** Asks services how they are, every replica of them, all at once. */
export async function askServices(bus: Bus, names: readonly string[]): Promise<ServiceHealth[]> {
  const found = await Promise.all(
    names.map(async (name): Promise<ServiceHealth[]> => {
      const answers = await bus.requestMany(STATUS, { name }, {}, { most: MOST_REPLICAS, timeout: ANSWER_MS }).catch(() => []);
      if (answers.length === 0) return [{ name, answer: null }];
      return answers.map(({ ready, checks, started_at }) => ({ name, answer: { ready, checks, started_at } }));
    }),
  );
  return found.flat();
}

/** How late the newest event of each service came. */
export async function feedHealth(manager: JetStreamManager): Promise<FeedHealth[]> {
  const subjects = Object.keys(await subjectsOf(manager, FEED.stream!));
  const services = [...new Set(subjects.flatMap((subject) => valuesOf(FEED, subject)?.service ?? []))];
  const found = await Promise.all(
    services.map(async (service) => {
      const newest = await manager.streams.getMessage(FEED.stream!, { last_by_subj: filter(FEED, { service }) });
      const at = newest?.header.get('ce-time');
      if (!newest || !at) return [];
      const isLate = newest.header.has(RESENT_HEADER) || newest.header.has(RECONCILED_HEADER);
      return [{ service, at, delay_ms: isLate ? null : Math.max(0, newest.time.getTime() - Date.parse(at)) }];
    }),
  );
  return found.flat();
}

/** What waits for each group. A consumer that acks nothing only listens. */
export async function groupHealth(manager: JetStreamManager, now: number): Promise<GroupHealth[]> {
  const groups = new Map<string, GroupHealth>();
  for await (const consumer of manager.consumers.list(FEED.stream!)) {
    if (consumer.config.ack_policy === AckPolicy.None) continue;
    const group = groupOf(consumer.name);
    const { pending, waiting_ms } = groups.get(group) ?? { pending: 0, waiting_ms: 0 };
    const own = consumer.num_pending + consumer.num_ack_pending;
    const waits = own > 0 ? now - (await oldestOf(manager, consumer, now)) : 0;
    groups.set(group, { group, pending: pending + own, waiting_ms: Math.max(waiting_ms, waits) });
  }
  return [...groups.values()].toSorted((a, b) => a.group.localeCompare(b.group));
}

/** What was parked, by who gave it up. */
export async function parkedHealth(manager: JetStreamManager): Promise<ParkedHealth[]> {
  const groups = new Map<string, ParkedHealth>();
  for (const [subject, count] of Object.entries(await subjectsOf(manager, PARKED.stream!))) {
    const group = groupOf(valuesOf(PARKED, subject)?.consumer ?? subject);
    const newest = await manager.streams.getMessage(PARKED.stream!, { last_by_subj: subject });
    const { events, newest_at } = groups.get(group) ?? { events: 0, newest_at: '' };
    const at = newest?.time.toISOString() ?? '';
    groups.set(group, { group, events: events + count, newest_at: at > newest_at ? at : newest_at });
  }
  return [...groups.values()];
}

const subjectsOf = async (manager: JetStreamManager, stream: string): Promise<Record<string, number>> =>
  (await manager.streams.info(stream, { subjects_filter: '>' })).state.subjects ?? {};

/** `shop-backend_customers_p03` is one of sixteen of the group `shop-backend_customers`. */
const groupOf = (consumer: string): string => consumer.replace(/_p\d\d$/, '');

/** When the first event came that a consumer has not handled. It may be handled while we look. */
async function oldestOf(manager: JetStreamManager, { stream_name, ack_floor, config }: ConsumerInfo, now: number): Promise<number> {
  const next = { seq: ack_floor.stream_seq + 1, next_by_subj: config.filter_subject ?? '>' };
  const oldest = await manager.streams.getMessage(stream_name, next).catch(() => null);
  return oldest?.time.getTime() ?? now;
}
