import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIVITIES, Costs } from '@codase/bench/capacity';
import { command, readArguments, readNumber, table } from '@codase/command-line';
import { optionsOf } from '../command/options-of.ts';
import { checkGenerated } from '../command/results.ts';
import { ROOT } from '../command/root.ts';
import { capacityFor, errorsOf, type Demand } from './model.ts';
import { CAPACITY_PAGE, capacityText, COSTS_FILE, demandOf } from './page.ts';

/** How far the model may be from what was measured. */
const MAX_ERROR = 0.2;

const HELP = `npm run capacity -- --events N [options]   what a load needs: replicas, cores, disks

  --events N     events a second, from the feed to a handler that opened them
  --edits N      changes of persons a second (default: one for each event)
  --webhooks N   events a second that are delivered to webhooks
  --tokens N     tokens a second (default 1)
  --opens N      values a second that are opened beside events
  --streams N    phones that hold a stream
  --json         as JSON

npm run capacity -- --measure [--seconds N]   measures the costs on this machine, and checks the model: within ${MAX_ERROR * 100} %

  --seconds N    of each of fifteen runs (default 15); nothing else should run meanwhile
  --write        write the costs and the page (${COSTS_FILE}, ${CAPACITY_PAGE})

Without any of it, exit code 1 when the page is not what the costs say.`;

const NUMBERS = ['events', 'edits', 'webhooks', 'tokens', 'opens', 'streams', 'seconds'] as const;
const FLAGS = ['json', 'measure', 'write'] as const;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { ...optionsOf(NUMBERS, 'string'), ...optionsOf(FLAGS, 'boolean') });
  if (values.measure) return measureAndCheck(readNumber('--seconds', values.seconds) ?? 15, values.write === true);
  const costs = Costs.parse(JSON.parse(readFileSync(join(ROOT, COSTS_FILE), 'utf8')));
  if (values.events === undefined) return checkGenerated('capacity', CAPACITY_PAGE, capacityText(costs), values.write);
  const capacity = capacityFor(costs, demandIn(values));
  console.log(values.json ? JSON.stringify(capacity) : shown(capacity));
  return 0;
});

function demandIn(values: Partial<Record<(typeof NUMBERS)[number], string>>): Demand {
  const given = (name: keyof typeof values, otherwise: number) => readNumber(`--${name}`, values[name]) ?? otherwise;
  const usual = demandOf(given('events', 0));
  return {
    event: usual.event,
    edit: given('edits', usual.edit),
    webhook: given('webhooks', usual.webhook),
    token: given('tokens', usual.token),
    open: given('opens', usual.open),
    streams: given('streams', usual.streams),
  };
}

function shown({ needs, regions, disks }: ReturnType<typeof capacityFor>): string {
  const rows = needs.map(({ part, busy, replicas, coresEach, isTooMuch }) => [
    part,
    busy.toFixed(2),
    String(replicas),
    String(coresEach),
    isTooMuch ? `more than it can use: see ${CAPACITY_PAGE}` : '',
  ]);
  const disk = Object.entries(disks).map(([what, gigabytes]) => [what.replaceAll('_', ' '), `${gigabytes.toFixed(1)} GB`]);
  return `${table([['part', 'busy cores', 'replicas', 'cores each', ''], ...rows])}\n\n${table([['regions', String(regions)], ...disk])}`;
}

async function measureAndCheck(seconds: number, write: boolean): Promise<number> {
  const { measureCosts } = await import('@codase/bench/measure-costs'); // imported only here: it loads both planes
  const costs = await measureCosts({ seconds, progress: (text) => console.error(`${text} …`) });
  if (write) writeFileSync(join(ROOT, COSTS_FILE), `${JSON.stringify(costs, undefined, 2)}\n`);
  if (write) writeFileSync(join(ROOT, CAPACITY_PAGE), capacityText(costs));
  const each = ACTIVITIES.map((activity) => [activity, `${Object.values(costs.each_us[activity]).reduce((sum, us) => sum + us, 0)} µs`]);
  console.log(table([['each costs', 'CPU in all'], ...each]));
  const errors = errorsOf(costs.check);
  const line = ({ part, predicted, measured, error }: (typeof errors)[number]) => [
    part,
    `${Math.round(predicted)}`,
    `${Math.round(measured)}`,
    `${(error * 100).toFixed(0)} %`,
  ];
  console.log(`\n${table([['everything at once', 'model, µs/s', 'measured', 'error'], ...errors.map(line)])}`);
  const isGood = errors.every(({ error }) => Math.abs(error) <= MAX_ERROR);
  console.log(isGood ? 'The model holds.' : `The model is off by more than ${MAX_ERROR * 100} %: was the machine quiet?`);
  return isGood ? 0 : 1;
}
