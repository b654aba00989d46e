import { ACTIVITIES, PARTS, type Activity, type Costs } from '@cds/bench/capacity';
import { FEED_STREAM_DAYS } from '@cds/contracts';
import { BUSY, capacityFor, errorsOf, KEPT_DAYS, POSTGRES_CORES, wallsOf, type Capacity, type Demand } from './model.ts';

/** Where the page and the costs are kept. */
export const CAPACITY_PAGE = 'docs/operations/capacity.md';
export const COSTS_FILE = 'docs/operations/capacity.json';

const LINE = 140;
const RATES = [1_000, 10_000, 100_000];

/** The usual demand of the real world: each event comes from an edit of a person, and each service asks for a token once an hour. */
export const demandOf = (events: number): Demand => ({ event: events, edit: events, webhook: 0, token: 1, open: 0, streams: 0 });

const WHAT: Readonly<Record<Activity, string>> = {
  edit: 'a person changes a field',
  event: 'an event, drained, published, opened and handled',
  webhook: 'an event, delivered to a webhook',
  token: 'a token of a client',
  open: 'a value opened for a service, beside events',
};

/** Returns the page about capacity, computed from the measured costs. */
export function capacityText(costs: Costs): string {
  const { machine, measured, rsa_us, stream, event_bytes } = costs;
  return `${[
    '# Capacity',
    paragraph(
      'What each thing costs, what a load needs, and where the next wall is. Generated from `capacity.json`:',
      '`npm run capacity -- --write`.',
      '`npm run capacity -- --events 10000` computes it for your load; `npm run capacity -- --measure --write`',
      'measures the costs on your',
      'machine, which must have nothing else to do for some minutes, and writes both files anew.',
    ),
    paragraph(
      `Measured on ${measured}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, one process of each`,
      `service, Postgres and NATS`,
      `that write to the disk before they answer. A bare RSA-2048 private operation takes ${rsa_us} µs there: a`,
      `machine on which it takes a`,
      'quarter of that needs about that much less for what opens values, and somewhat less for the rest.',
    ),
    '## What each thing costs',
    'Microseconds of CPU each time.',
    table(
      ['', ...ACTIVITIES, 'at rest, each second'],
      [
        ...PARTS.map((part) => [part, ...ACTIVITIES.map((activity) => shown(costs.each_us[activity][part])), shown(costs.rest_us[part])]),
        ['all', ...ACTIVITIES.map((activity) => shown(sum(costs.each_us[activity]))), shown(sum(costs.rest_us))],
      ],
    ),
    ACTIVITIES.map((activity) => `- *${activity}*: ${WHAT[activity]}`).join('\n'),
    'And in each second in which there is any of it, however little: rounds that go on for as long as something comes.',
    table(
      ['', ...ACTIVITIES],
      PARTS.map((part) => [part, ...ACTIVITIES.map((activity) => shown(costs.awake_us[activity][part]))]),
    ),
    paragraph(
      `A phone that holds a stream takes ${stream.us_per_second} µs a second of its region, and the memory that`,
      '`npm run bench -- app-events` prints. An event writes',
      `${event_bytes.write_ahead_log} bytes to the logs of all databases together, and keeps`,
      `${event_bytes.published} bytes at the feed consumer`,
      `for ${KEPT_DAYS} days and ${event_bytes.stream} bytes on each node of NATS for ${FEED_STREAM_DAYS} days.`,
    ),
    table(
      ['Memory after the run', 'MB'],
      Object.entries(costs.memory_mb).map(([part, mb]) => [part, String(mb)]),
    ),
    '## What a load needs',
    paragraph(
      `Cores that are busy no more than ${BUSY * 100} % of the time, two replicas of each service at least,`,
      `three nodes of NATS and of each`,
      'Postgres. Each event comes of a person’s edit. The feed may be that of one company or of many: the',
      'platform counts all of them, the',
      'suite those of its own company.',
    ),
    ...RATES.flatMap((events) => [`### ${events.toLocaleString('en')} events a second`, needsTable(capacityFor(costs, demandOf(events)))]),
    '## Where the next wall is',
    table(
      ['What', 'Events a second', 'The way on'],
      wallsOf(costs).map(({ what, events, wayOn }) => [what, events.toLocaleString('en'), wayOn]),
    ),
    paragraph(
      '**Dividing a region.** A region is one Postgres, which alone grows with all its companies. It is divided by adding another region',
      'beside it (its own database, bus user, signing key and processes, see the platform preset of the chart) and',
      'by moving companies there,',
      'one after the other: each asks for it at the portal (`POST /api/profile/migrate-region`), its writes are',
      'refused only while its last',
      'rows are copied, and clients learn the new base by `421` and `api_url`. Persons stay where they are, since events cross',
      'regions. Move the largest companies',
      'first; the audit and the log of a company go along.',
    ),
    '## How good the model is',
    paragraph(
      'The costs were measured one thing after the other. Then everything went on at once, at other rates',
      `(${ACTIVITIES.map((activity) => `${costs.check.per_second[activity]} × ${activity}`).join(', ')} a second),`,
      `and the CPU of each part was`,
      'compared with what the model says of that load. Parts with less than a tenth of all are left out.',
    ),
    table(
      ['Part', 'Model, µs a second', 'Measured', 'Error'],
      errorsOf(costs.check).map(({ part, predicted, measured: was, error }) => [part, shown(predicted), shown(was), percent(error)]),
    ),
    paragraph(
      '**What it does not know.** Three nodes of NATS were not measured under it: each node of a stream with',
      'three replicas writes what one',
      `writes here, and a follower answers nothing. No Postgres of ${POSTGRES_CORES} cores was measured: that it`,
      `does so much more than one of`,
      'two cores is assumed. Networks and disks between machines add waiting, not CPU.',
    ),
  ].join('\n\n')}\n`;
}

function needsTable({ needs, regions, disks }: Capacity): string {
  const rows = needs.map(({ part, busy, replicas, coresEach, isTooMuch }) => [
    part,
    busy.toFixed(1),
    `${replicas}${isTooMuch ? ' (see the walls)' : ''}`,
    String(coresEach),
  ]);
  const disk = paragraph(
    `Disks: ${size(disks.stream)} for the stream on each node of NATS, ${size(disks.published)} for the feed consumer, and its databases`,
    `and the regions write ${size(disks.write_ahead_log_per_day)} of log a day. Regions: ${regions}.`,
  );
  return `${table(['Part', 'Busy cores', 'Replicas', 'Cores each'], rows)}\n\n${disk}`;
}

const sum = (of: Record<string, number>) => Object.values(of).reduce((all, us) => all + us, 0);
const shown = (us: number) => Math.round(us).toLocaleString('en');
const percent = (part: number) => `${part >= 0 ? '+' : ''}${(part * 100).toFixed(0)} %`;
const size = (gigabytes: number) => (gigabytes >= 1000 ? `${(gigabytes / 1000).toFixed(1)} TB` : `${gigabytes.toFixed(0)} GB`);
/** Joins the pieces and breaks the text into lines between words. */
function paragraph(...pieces: string[]): string {
  const lines = [''];
  for (const word of pieces.join(' ').split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > LINE) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.join('\n');
}
const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
