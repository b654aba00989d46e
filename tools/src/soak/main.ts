import {
  clusterSoak,
  consumersSoak,
  flowKillsSoak,
  flowsSoak,
  isClean,
  platformSoak,
  restartSoak,
  suiteSoak,
  twofaSoak,
  upgradeSoak,
  type SoakOptions,
  type SoakResult,
} from '@codase/e2e';
import { command, readArguments, readNumber, table as inColumns, UsageFault } from '@codase/command-line';
import { optionsOf } from '../command/options-of.ts';
import { experiment } from '../command/run.ts';

const HELP = `npm run soak -- [NAME…] [--events N | --challenges N] [--kills N] [--minutes M] [--logs DIR]
npm run soak -- upgrade --from REF
npm run soak -- flows [--steps N] [--seed N [--path PATH]]

Faults under load: things happen while processes are killed or hang, and NATS and
Postgres are killed and come back.

  consumers    events to durable consumers that note each in an inbox
  platform     edits and messages of people, and contracts that they sign, to the pull
               feed and to webhooks, while readers cut their connections, drains are
               sent HEAD and OPTIONS, and companies move to another region and back.
               Each fault strikes in the middle of an act: a seal without act and an
               act without seal are counted as well
  suite        events through gateway, feed consumer, decryptor and handlers, which
               answer messages, send contracts and fetch the sealed copies
  twofa        logins that persons approve, deny or leave, while twofa, the gateway (both
               replicas, or one), the company's region, the person's, the front door, the
               feed consumer, NATS and Postgres are killed: each at each step of a login,
               from the request on the bus to the answer, as a table shows in the end. lost
               is an asker left waiting 35 seconds after the end of its challenge,
               duplicated a second or another outcome, wrong a yes that nobody gave
  flows        random contract flows with random parties, played through the HTTP server: answers
               that are wrong, sent twice, at once, as another party, with connections that are
               cut and a database that is lost. After each of 10,000 steps everything is
               compared with a model; wrong is a difference. It ends with the shortest game that
               shows it, and how that is played again
  flow-kills   500 runs of a contract flow through both planes, while regions, flows, gateway,
               decryptor, feed consumer, handler, NATS and Postgres are killed: each at each step
               of a run, from the request to start it to its end, as a table shows. lost and
               duplicated count runs, answers, files, and events of turns and ends
  cluster      two of everything on three nodes of NATS, for 20 minutes: nodes, services,
               handlers and Postgres are killed in turn while persons edit, runs of a
               contract flow are played, and callers ask over HTTP and over the bus. Of their requests less than 0.5 % may fail, and
               nobody may wait longer than 2 s beside the time in which Postgres, of which
               there is one, takes no connections: both waits are printed
  restart      the same stack, where every service is asked to leave and started again, one
               after the other: no request may fail
  upgrade      the same stack, which runs the release of --from at first: the databases are
               migrated, every service becomes this version, and then the earlier release
               again on the databases of this one. No request may fail

Without a name, one after the other, but for upgrade. For each: kills, events, lost, duplicated and
disordered, then one JSON line. Exit code 1 when anything was lost, came twice where
it must not, or came late.

  --events N   load goes on until there were this many events …
  --challenges N   the same, of twofa: 1,000 when left out
  --steps N    the same, of flows: 10,000 when left out
  --seed N, --path PATH   of flows: plays the games of this seed, or the one game that was found
  --kills N    … and this many faults; with 0 nothing is killed, and no webhook may
               get an event twice. Left out, twofa and flow-kills go on until each part
               was killed at each step
  --minutes M  or for so long, whatever happens
  --from REF   of upgrade: the commit or tag that runs at first, as in v0.9.0
  --logs DIR   writes there what the processes wrote`;

type Soak = { run(options: SoakOptions & Particular): Promise<SoakResult>; events: number; kills?: number; minutes?: number };

type Particular = { from: string; seed: number | undefined; path: string | undefined };

const SOAKS: Record<string, Soak> = {
  consumers: { run: consumersSoak, events: 5000, kills: 40 },
  platform: { run: platformSoak, events: 1500, kills: 30 },
  suite: { run: suiteSoak, events: 10_000, kills: 30 },
  twofa: { run: twofaSoak, events: 1000 },
  flows: { run: flowsSoak, events: 10_000 },
  'flow-kills': { run: flowKillsSoak, events: 500 },
  cluster: { run: clusterSoak, events: 0, minutes: 20 },
  restart: { run: restartSoak, events: 0 },
  upgrade: { run: upgradeSoak, events: 0 },
};

const NUMBERS = ['events', 'challenges', 'minutes', 'steps', 'seed'] as const;

await command(HELP, async (args) => {
  const { values, positionals } = readArguments(args, optionsOf([...NUMBERS, 'kills', 'logs', 'from', 'path'], 'string'));
  const unknown = positionals.filter((name) => !Object.hasOwn(SOAKS, name));
  if (unknown.length) throw new UsageFault(`There is no soak '${unknown.join("', '")}': there are ${Object.keys(SOAKS).join(', ')}.`);
  const [events, challenges, minutes, steps, seed] = NUMBERS.map((name) => readNumber(`--${name}`, values[name]));
  if (challenges !== undefined && (events !== undefined || positionals.join() !== 'twofa'))
    throw new UsageFault('--challenges goes with the soak twofa alone, in place of --events.');
  const ofFlows = [steps, seed, values.path].some((given) => given !== undefined);
  if (ofFlows && positionals.join() !== 'flows') throw new UsageFault('--steps, --seed and --path go with the soak flows alone.');
  if (values.path !== undefined && seed === undefined) throw new UsageFault('--path goes with the --seed that it was found with.');
  if ((values.from !== undefined) !== positionals.includes('upgrade'))
    throw new UsageFault('--from goes with the soak upgrade, and upgrade with --from: npm run soak -- upgrade --from REF.');
  const kills = readNumber('--kills', values.kills, { mayBeZero: true });
  let exitCode = 0;
  for (const name of positionals.length ? positionals : Object.keys(SOAKS).filter((one) => one !== 'upgrade')) {
    const { run, ...usual } = SOAKS[name]!;
    const options = {
      events: steps ?? challenges ?? events ?? usual.events,
      kills: kills ?? usual.kills,
      minutes: minutes ?? (events === undefined && kills === undefined ? usual.minutes : undefined),
      logs: values.logs,
      from: values.from ?? '',
      seed,
      path: values.path,
    };
    const code = await experiment(
      name,
      (given) => run({ ...options, ...given }),
      (result) => ({ ok: isClean(result), lines: linesOf(name, result), json: { soak: name, ...result } }),
    );
    if (code > 1) return code;
    exitCode = Math.max(exitCode, code);
  }
  return exitCode;
});

function linesOf(name: string, result: SoakResult): string[] {
  const { kills, events, lost, duplicated, disordered, seconds, table, requests, ...rest } = result;
  const also = Object.entries(rest)
    .map(([what, count]) => `, ${what} ${count}`)
    .join('');
  const main = `kills ${kills}, events ${events}, lost ${lost}, duplicated ${duplicated}, disordered ${disordered}`;
  return [
    ...(table ? [killTable(table)] : []),
    ...(requests?.incidents.length ? [incidentTable(requests.incidents)] : []),
    ...(requests ? [`${name}: ${inWords(requests)}`, `${name}: longest waits by fault: ${byFault(requests)}`] : []),
    `${name}: ${main}${also}, in ${seconds} s`,
  ];
}

function inWords({ count, failed, worstWaitMs, worstWaitBesideOutagesMs, limits }: NonNullable<SoakResult['requests']>): string {
  const share = `${((100 * failed) / count).toFixed(3)} %, allowed ${100 * limits.failedShare} %`;
  const allowed = limits.worstWaitMs === undefined ? '' : ` (allowed ${limits.worstWaitMs} ms)`;
  const waits = `worst wait ${worstWaitMs} ms, ${worstWaitBesideOutagesMs} ms beside outages of Postgres${allowed}`;
  return `requests ${count}, failed ${failed} (${share}), ${waits}`;
}

function killTable(killed: NonNullable<SoakResult['table']>): string {
  const parts = Object.keys(killed);
  const steps = Object.keys(Object.values(killed)[0]!);
  return inColumns([['killed at', ...parts], ...steps.map((step) => [step, ...parts.map((part) => String(killed[part]![step]))])]);
}

function byFault({ worstWaits }: NonNullable<SoakResult['requests']>): string {
  const sorted = Object.entries(worstWaits).sort(([, one], [, other]) => other - one);
  return sorted.map(([fault, ms]) => `${fault} ${ms} ms`).join(', ');
}

type Incidents = NonNullable<SoakResult['requests']>['incidents'];

function incidentTable(incidents: Incidents): string {
  const errorsOf = (errors: Incidents[number]['errors']) =>
    Object.entries(errors)
      .map(([error, count]) => `${count} x ${error}`)
      .join('; ') || '-';
  return inColumns([
    ['fault', 'request', 'failed', 'late', 'worst wait', 'errors'],
    ...incidents.map(({ fault, request, failed, late, worstWaitMs, errors }) => [
      fault,
      request,
      String(failed),
      String(late),
      `${worstWaitMs} ms`,
      errorsOf(errors),
    ]),
  ]);
}
