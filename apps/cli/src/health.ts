import { AckPolicy, type ConsumerInfo, type JetStreamManager } from '@nats-io/jetstream';
import { FEED, filter, PARKED, RECONCILED_HEADER, RESENT_HEADER, STATUS, valuesOf } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';

/** The answer of one replica of a service. `answer` is null when no replica answered. */
export interface ServiceHealth {
  name: string;
  answer: { ready: boolean; checks: Record<string, string>; started_at: string } | null;
}

/** The newest event of a service on the bus. */
export interface FeedHealth {
  service: string;
  at: string;
  /** The time from the change until the stream had the event. Null for an event that was resent or reconciled. */
  delay_ms: number | null;
}

/** The consumers of one group of handlers, taken together. */
export interface GroupHealth {
  group: string;
  /** Events that are on the stream and not handled yet. */
  pending: number;
  /** How long the oldest of these events has been on the stream. */
  waiting_ms: number;
}

/** The events that a group gave up on, for an operator to look at. */
export interface ParkedHealth {
  group: string;
  events: number;
  newest_at: string;
}

/** How long to wait for answers. The checks of an unhealthy replica take up to two seconds, and the number of replicas is not known. */
const ANSWER_MS = 2500;
const MAX_REPLICAS = 1000;

/** Asks all replicas of the services for their health, all at once. */
export async function askServices(bus: Bus, names: readonly string[]): Promise<ServiceHealth[]> {
  const found = await Promise.all(
    names.map(async (name): Promise<ServiceHealth[]> => {
      const answers = await bus.requestMany(STATUS, { name }, {}, { most: MAX_REPLICAS, timeout: ANSWER_MS }).catch(() => []);
      if (answers.length === 0) return [{ name, answer: null }];
      return answers.map(({ ready, checks, started_at }) => ({ name, answer: { ready, checks, started_at } }));
    }),
  );
  return found.flat();
}

/** Returns how late the newest event of each service came. */
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

/** Returns what waits for each group. Consumers without acknowledgements are left out, because they only listen. */
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

/** Returns what was parked, by the group that gave it up. */
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

/** Returns the group of a consumer: `shop-backend_customers_p03` is one of the sixteen consumers of `shop-backend_customers`. */
const groupOf = (consumer: string): string => consumer.replace(/_p\d\d$/, '');

/** Returns when the first event that a consumer has not handled came. Returns `now` if it is handled meanwhile. */
async function oldestOf(manager: JetStreamManager, { stream_name, ack_floor, config }: ConsumerInfo, now: number): Promise<number> {
  const next = { seq: ack_floor.stream_seq + 1, next_by_subj: config.filter_subject ?? '>' };
  const oldest = await manager.streams.getMessage(stream_name, next).catch(() => null);
  return oldest?.time.getTime() ?? now;
}
