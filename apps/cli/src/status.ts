import type { Plane } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { REGIONS } from '@codase/stack';
import { table } from '@codase/command-line';
import { withBus } from './bus.ts';
import { readOptions, type Read } from './command.ts';
import {
  askServices,
  feedHealth,
  groupHealth,
  parkedHealth,
  type FeedHealth,
  type GroupHealth,
  type ParkedHealth,
  type ServiceHealth,
} from './health.ts';
import type { Target } from './target.ts';

/** The services of each plane, by their names on the bus. */
const SERVICES: Record<Plane, readonly string[]> = {
  platform: ['platform-front-door', ...REGIONS.map((region) => `platform-region-${region}`), 'platform-delivery', 'platform-forwarder'],
  suite: ['gateway', 'feed-consumer', 'decryptor', 'flows', 'twofa'],
};
/** An event that waits longer than this is late. */
const LATE_MS = 60_000;
/** How long a parked event is reported. Parked events are kept for months, and an older one has probably been seen. */
const RECENT_MS = 24 * 3_600_000;

export interface Status {
  services: ServiceHealth[];
  feed: FeedHealth[];
  groups: GroupHealth[];
  parked: ParkedHealth[];
}

/** Shows the state of all services. */
export const status: Read = (words) => {
  readOptions(words, {});
  return async ({ target, print }) => {
    const found = await statusOf(target);
    const wrong = problemsOf(found, Date.now());
    print([...tables(found), wrong.length ? wrong.join('\n') : 'All is well.'].join('\n\n'), { ...found, wrong });
    return wrong.length ? 1 : 0;
  };
};

async function statusOf(target: Target): Promise<Status> {
  const platform = target.operator('platform');
  const [ofPlatform, suite] = await Promise.all([
    platform ? withBus(platform, (bus) => askServices(bus, SERVICES.platform)) : [],
    withBus(target.operator('suite')!, statusOfSuite),
  ]);
  return { ...suite, services: [...ofPlatform, ...suite.services] };
}

async function statusOfSuite(bus: Bus): Promise<Status> {
  const manager = await bus.manager();
  const [services, feed, groups, parked] = await Promise.all([
    askServices(bus, SERVICES.suite),
    feedHealth(manager),
    groupHealth(manager, Date.now()),
    parkedHealth(manager),
  ]);
  return { services, feed, groups, parked };
}

/** Returns one sentence for each problem that an operator should look at. */
export function problemsOf({ services, groups, parked }: Status, now: number): string[] {
  const late = groups.filter(({ waiting_ms }) => waiting_ms > LATE_MS);
  const lately = parked.filter(({ newest_at }) => now - Date.parse(newest_at) < RECENT_MS);
  return [
    ...services.flatMap(({ name, answer }) => serviceProblems(name, answer)),
    ...late.map(
      ({ group, pending, waiting_ms }) =>
        `${group} is behind: ${pending} events wait, the oldest for ${duration(waiting_ms)}. Look whether it runs, and at its log.`,
    ),
    ...lately.map(
      ({ group, events, newest_at }) =>
        `${group} has parked ${events} events, the newest at ${newest_at}. Its log says why: mend it, then send them again by events ` +
        'resend. ' +
        'They come behind newer ones, so handlers must go by the time of an event.',
    ),
  ];
}

function serviceProblems(name: string, answer: ServiceHealth['answer']): string[] {
  if (!answer) return [`${name} does not answer: look whether it runs, and at its log.`];
  if (!answer.ready) return [`${name} is not ready: ${notesOf(answer)}.`];
  const feed = answer.checks['feed'] ?? 'ok';
  return feed === 'ok' ? [] : [`${name} gets no events: ${feed.replace('ok, but ', '')}.`];
}

function* tables({ services, feed, groups, parked }: Status): Generator<string> {
  yield table([['service', 'state', 'since', ''], ...services.map(serviceRow)]);
  if (feed.length) yield table([['feed', 'newest event', 'came after'], ...feed.map(feedRow)]);
  if (groups.length) yield table([['handlers', 'pending', 'oldest waits', 'parked'], ...groups.map((group) => groupRow(group, parked))]);
  const others = parked.filter(({ group }) => !groups.some((one) => one.group === group));
  if (others.length)
    yield table([['parked by', 'events', 'newest'], ...others.map((one) => [one.group, String(one.events), one.newest_at])]);
}

function serviceRow({ name, answer }: ServiceHealth): string[] {
  if (!answer) return [name, 'away'];
  return [name, answer.ready ? 'ready' : 'not ready', answer.started_at, notesOf(answer)];
}

const feedRow = ({ service, at, delay_ms }: FeedHealth): string[] => [service, at, delay_ms === null ? 'sent again' : duration(delay_ms)];

function groupRow({ group, pending, waiting_ms }: GroupHealth, parked: readonly ParkedHealth[]): string[] {
  const parkedEvents = parked.find((one) => one.group === group)?.events ?? 0;
  return [group, String(pending), pending ? duration(waiting_ms) : '', String(parkedEvents)];
}

/** Returns the checks whose result is not just `ok`. */
const notesOf = ({ checks }: { checks: Record<string, string> }): string =>
  Object.entries(checks)
    .flatMap(([name, found]) => (found === 'ok' ? [] : [`${name} ${found}`]))
    .join(', ');

function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
