import { growth, quantile, samplesOf, type Sample, type ServiceScrape } from './scrapes.ts';

/** How something stands: well, worth a look, or bad. */
export type State = 'well' | 'look' | 'bad';

/** One number with its meaning and, when it is not well, what to do. */
export interface Figure {
  title: string;
  value: string;
  state: State;
  says: string;
}

export interface Waiting {
  what: string;
  where: string;
  seconds: number;
}

/** The metrics of what waits on the way of an event, from its commit to a handler of the company. */
const WAITS = [
  ['codase.webhook.backlog.age', 'at the platform, for a webhook'],
  ['codase.feed.spool.age', 'in the feed consumer, to be published'],
  ['codase.client.backlog.age', 'on the stream, for a handler'],
] as const;

/** Counters of failures that need a person, each with what to do. */
const FAILURES = [
  ['codase.unexpected', 'unexpected errors: look for "unexpected" in the logs'],
  ['codase.bus.parked', 'events parked: npm run codase -- status shows them'],
  ['codase.feed.unreadable', 'events could not be read and were parked: npm run codase -- status shows them'],
  ['codase.client.failed', 'tries of handlers failed: the handler logs why'],
  ['codase.feed.drains.failed', 'drains failed: npm run codase -- status'],
  ['codase.feed.publish.failed', 'attempts to publish failed: is NATS well?'],
  ['codase.decryptor.refused', 'values not opened: the decryptor logs the error key'],
  ['codase.twofa.consumed_without_record', 'outcomes of logins lost: each was a no'],
] as const;

const SHOWN = ['codase.feed.received', 'codase.client.handled', 'codase.client.lag', ...[...WAITS, ...FAILURES].map(([metric]) => metric)];
const SHOWN_SERIES = new RegExp(`^(${SHOWN.map((metric) => metric.replaceAll('.', '_')).join('|')})(_seconds)?(_total|_bucket)?$`);

/** Whether the board needs a sample: it keeps no others. */
export const isShown = ({ name }: Sample): boolean => SHOWN_SERIES.test(name);

const LONG_SECONDS = 10;
const TOO_LONG_SECONDS = 60;

/** Returns five numbers that say whether the whole stack is well. They are about the time from `before` to `now`. */
export function fiveNumbers(before: ServiceScrape, now: ServiceScrape): Figure[] {
  return [readyServices(now), flow(before, now), longestWait(now), timeToHandler(before, now), failures(before, now)];
}

function readyServices({ scrapes }: ServiceScrape): Figure {
  const unready = scrapes.filter(({ ready }) => !ready);
  return {
    title: 'Services ready',
    value: `${scrapes.length - unready.length} of ${scrapes.length}`,
    state: unready.length ? 'bad' : 'well',
    says: unready.length
      ? unready.map(({ service, reasons }) => `${service}: ${reasons.join('; ') || 'does not answer'}`).join('. ')
      : 'Every service reaches what it needs.',
  };
}

function flow(before: ServiceScrape, now: ServiceScrape): Figure {
  const [received, handled] = [growth(before, now, 'codase.feed.received'), growth(before, now, 'codase.client.handled')];
  const stuck = received > 0 && handled === 0;
  return {
    title: 'Events handled',
    value: `${handled} of ${received}`,
    state: stuck ? 'bad' : 'well',
    says: stuck
      ? 'Events come in and no handler finishes one: look at what waits below.'
      : received + handled
        ? 'Handled by the company, of those that came in.'
        : 'Nothing came in. Make something happen: npm run codase -- trigger',
  };
}

export const waiting = (now: ServiceScrape): Waiting[] =>
  WAITS.flatMap(([metric, where]) =>
    samplesOf(now, metric).map(({ service, labels, value }) => ({ what: whatWaits(service, labels), where, seconds: value })),
  ).sort((a, b) => b.seconds - a.seconds);

const whatWaits = (service: string, labels: Readonly<Record<string, string>>) =>
  [labels['codase_service'], labels['messaging_consumer_group_name'], labels['codase_region'] && `region ${labels['codase_region']}`]
    .filter(Boolean)
    .join(', ') || service;

function longestWait(now: ServiceScrape): Figure {
  const [longest] = waiting(now);
  const seconds = longest?.seconds ?? 0;
  return {
    title: 'Longest wait',
    value: inSeconds(seconds),
    state: seconds > TOO_LONG_SECONDS ? 'bad' : seconds > LONG_SECONDS ? 'look' : 'well',
    says: longest && seconds > 0 ? `${longest.what} waits ${longest.where}.` : 'No event waits.',
  };
}

function timeToHandler(before: ServiceScrape, now: ServiceScrape): Figure {
  const p99 = quantile(before, now, 'codase.client.lag', 0.99);
  return {
    title: 'From edit to handler',
    value: p99 === undefined ? 'none yet' : p99 === Infinity ? 'days' : `≤ ${inSeconds(p99)}`,
    state: p99 === undefined || p99 <= LONG_SECONDS ? 'well' : p99 <= TOO_LONG_SECONDS ? 'look' : 'bad',
    says: 'Age of 99 of 100 events when the handler of the company takes them.',
  };
}

function failures(before: ServiceScrape, now: ServiceScrape): Figure {
  const counted = FAILURES.map(([metric, says]) => ({ says, count: growth(before, now, metric) })).filter(({ count }) => count > 0);
  const all = counted.reduce((sum, { count }) => sum + count, 0);
  return {
    title: 'Gone wrong',
    value: String(all),
    state: all ? 'bad' : 'well',
    says: all ? counted.map(({ count, says }) => `${count} ${says}`).join('. ') : 'Nothing failed that needs a person.',
  };
}

const inSeconds = (seconds: number) =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
