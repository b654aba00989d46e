import { ACTIVITIES, PARTS, type Activity, type Costs } from '@codase/bench/capacity';
import { FEED_STREAM_DAYS } from '@codase/contracts';
import { BUSY, capacityFor, errorsOf, KEPT_DAYS, POSTGRES_CORES, wallsOf, type Capacity, type Demand } from './model.ts';

export const CAPACITY_PAGE = 'docs/operations/capacity.md';
export const COSTS_FILE = 'docs/operations/capacity.json';

const LINE = 140;
const RATES = [1_000, 10_000, 100_000];

/** The usual demand of the real world: each event comes from an edit of a person, and each service asks for a token once an hour. */
export const demandOf = (events: number): Demand => ({ event: events, edit: events, webhook: 0, token: 1, open: 0, streams: 0 });

const WHAT: Readonly<Record<Activity, string>> = {
  edit: 'a person changes a field',
  event: 'an event is drained, published, opened and handled',
  webhook: 'an event is delivered to a webhook',
  token: 'a client gets a token',
  open: 'a value is opened for a service, apart from those of events',
};

export function capacityText(costs: Costs): string {
  const { machine, measured, rsa_us, stream, event_bytes } = costs;
  return `${[
    '# Capacity',
    paragraph(
      'This page says what each activity costs, what a load needs, and where the next wall is: a limit that more replicas do not lift.',
      '`npm run capacity -- --write` generates the page from `capacity.json`. `npm run capacity -- --events 10000` computes the needs of',
      'your load. `npm run capacity -- --measure --write` measures the costs on your machine and writes both files again. The machine',
      'must have nothing else to do for some minutes.',
    ),
    paragraph(
      `The costs were measured on ${measured}, with ${machine.cores} cores (${machine.cpu}), Node ${machine.node} and one process of each`,
      `service. Postgres and NATS wrote to the disk before they answered. A bare RSA-2048 private operation took ${rsa_us} µs on that`,
      'machine. On a machine on which it takes a quarter of that, opening values costs about a quarter too, and the rest costs somewhat',
      'less.',
    ),
    '## What each thing costs',
    'Microseconds of CPU each time an activity happens. The last column is the CPU of each second without any activity.',
    table(
      ['', ...ACTIVITIES, 'at rest, each second'],
      [
        ...PARTS.map((part) => [part, ...ACTIVITIES.map((activity) => shown(costs.each_us[activity][part])), shown(costs.rest_us[part])]),
        ['all', ...ACTIVITIES.map((activity) => shown(sum(costs.each_us[activity]))), shown(sum(costs.rest_us))],
      ],
    ),
    ACTIVITIES.map((activity) => `- *${activity}*: ${WHAT[activity]}`).join('\n'),
    'An activity also costs this much in each second in which it happens at all, for rounds that go on while there is any of it.',
    table(
      ['', ...ACTIVITIES],
      PARTS.map((part) => [part, ...ACTIVITIES.map((activity) => shown(costs.awake_us[activity][part]))]),
    ),
    paragraph(
      `A phone with an open stream takes ${stream.us_per_second} µs of CPU a second in its region, and the memory that`,
      '`npm run bench -- app-events` prints. An event writes',
      `${event_bytes.write_ahead_log} bytes to the write-ahead logs of all databases together. It takes`,
      `${event_bytes.published} bytes in the database of the feed consumer`,
      `for ${KEPT_DAYS} days, and ${event_bytes.stream} bytes on each node of NATS for ${FEED_STREAM_DAYS} days.`,
    ),
    table(
      ['Memory after the run', 'MB'],
      Object.entries(costs.memory_mb).map(([part, mb]) => [part, String(mb)]),
    ),
    '## What a load needs',
    paragraph(
      `The tables assume that cores are busy at most ${BUSY * 100} % of the time. Each service has at least two replicas, and NATS and`,
      'each Postgres have three nodes. Each event comes from an edit of a person. The events may be those of one company or of many: the',
      'platform counts the events of all companies, the suite only those of its own company.',
    ),
    ...RATES.flatMap((events) => [`### ${events.toLocaleString('en')} events a second`, needsTable(capacityFor(costs, demandOf(events)))]),
    '## Where the next wall is',
    table(
      ['What', 'Events a second', 'The way on'],
      wallsOf(costs).map(({ what, events, wayOn }) => [what, events.toLocaleString('en'), wayOn]),
    ),
    paragraph(
      '**Dividing a region.** A region has one Postgres, which alone has to grow with all companies of the region. To divide a region, add',
      'another region beside it, with its own database, bus user, signing key and processes (see the platform preset of the chart). Then',
      'move companies there, one after the other. Each company asks for its move at the portal (`POST /api/profile/migrate-region`). Its',
      'writes are refused from the begin of the move to its end, while its rows are copied, compared and removed; it can read meanwhile.',
      'Its clients learn the new base from `421` and `api_url`. Persons stay where they are, since events cross regions. Move the largest',
      'companies first. The audit and the log of a company move with it.',
    ),
    '## How good the model is',
    paragraph(
      'The costs were measured one activity after the other. Then all activities went on at once, at other rates',
      `(${ACTIVITIES.map((activity) => `${costs.check.per_second[activity]} × ${activity}`).join(', ')} a second),`,
      'and the CPU of each part was compared with the prediction of the model for that load. The table leaves out parts with less than a',
      'tenth of the total.',
    ),
    table(
      ['Part', 'Model, µs a second', 'Measured', 'Error'],
      errorsOf(costs.check).map(({ part, predicted, measured: was, error }) => [part, shown(predicted), shown(was), percent(error)]),
    ),
    paragraph(
      '**What the model does not know.** Three nodes of NATS were not measured. The model assumes that each node of a stream with three',
      'replicas writes what the one node wrote in the measurement, and that a follower answers nothing.',
      `No Postgres of ${POSTGRES_CORES} cores was measured: the model assumes that it does as much more than the measured`,
      'Postgres of two cores as it has more cores.',
      'Networks and disks between machines add waiting, not CPU.',
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
    `Disks: ${size(disks.stream)} for the stream on each node of NATS, and ${size(disks.published)} for the feed consumer. All databases`,
    `together write ${size(disks.write_ahead_log_per_day)} of log a day. Regions: ${regions}.`,
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
