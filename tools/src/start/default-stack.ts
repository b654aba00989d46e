import { createDatabase, postgresFolder, type DatabaseUrls } from '@codase/servers';
import {
  boardUrl,
  clientSecret,
  createStackDatabases,
  DEMO,
  demo,
  demoActors,
  describeExample,
  describeUnits,
  entryOf,
  EXAMPLE_DATABASE,
  EXAMPLE_ENTRY,
  frontDoorUrl,
  jetStreamAnswers,
  migrateStack,
  natsNodePorts,
  portsFrom,
  prepareBuses,
  provisionStack,
  Secrets,
  setScene,
  tracesUrl,
  UNIT_NAMES,
  type Ports,
  type StackDatabases,
} from '@codase/stack';
import { TraceReceiver } from '@codase/stack/trace-receiver';
import { Balancer } from '@codase/stack/balancer';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BoardServer, type KeptSpans } from '../board/board-server.ts';
import type { Watched } from '../board/service-scrapes.ts';
import { ROOT } from '../command/root.ts';
import type { Options } from './options.ts';
import type { WantedPort } from './preflight.ts';
import { balancedOf, nameOf, numbers, portsOf, replicasOf, type Balanced } from './replicas.ts';
import { externalServers, ownServers } from './servers.ts';
import type { Stack, DemoCheck } from './stack.ts';
import type { Unit } from './unit.ts';

/** The command by which a person of the demo edits a field. */
const TRIGGER = 'npm run codase -- trigger';
/** The command by which a person of the demo plays a flow with the example service, from the start to the end. */
const PLAY = 'npm run codase -- flows play';

export function wantedPorts({ portBase, scale, external, traces: collector }: Options): WantedPort[] {
  const ports = portsFrom(portBase);
  const { serving, ops, postgres, traces, board, example } = ports;
  const wanted = (group: Record<string, number>, what = '') => Object.entries(group).map(([name, port]) => ({ port, for: name + what }));
  const nodes = natsNodePorts(ports, scale.nats);
  return [
    ...wanted(serving),
    ...(external ? [] : [...wanted({ postgres }), ...nodes.map(({ clients }) => ({ port: clients, for: 'nats' }))]),
    ...(external || nodes.length === 1 ? [] : nodes.map(({ routes }) => ({ port: routes, for: 'nodes of nats' }))),
    ...balancedPorts(ports, scale.replicas).flatMap(({ targets }) => targets.map(({ port }) => ({ port, for: 'replicas' }))),
    ...replicasToWatch(ports, scale.replicas).map(({ name, opsPort }) => ({ port: opsPort, for: `${name} (probes)` })),
    ...wanted(collector ? { board } : { traces, board }),
    ...wanted({ ...ops, [DEMO.consumer]: example }, ' (probes)'),
  ];
}

export const services = (): Pick<Unit, 'name' | 'entry'>[] => [
  ...UNIT_NAMES.map((name) => ({ name, entry: entryOf(name) })),
  { name: DEMO.consumer, entry: EXAMPLE_ENTRY },
];

/** The default stack, on our own servers or on the caller's. */
export async function describe(options: Options): Promise<Stack> {
  const ports = portsFrom(options.portBase);
  const { replicas, nats } = options.scale;
  const secrets = new Secrets(join(options.stateDir, 'secrets'));
  const servers = options.external ? externalServers(options.external) : ownServers(options, ports, secrets);
  const databases = {} as StackDatabases & Record<typeof EXAMPLE_DATABASE, DatabaseUrls>; // filled by the first step
  const planes = { databases, nats: servers.nats, secrets };
  const services = { [DEMO.service]: { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) } };
  const settings = { ports, services, ...planes, traces: options.traces ?? tracesUrl(ports) };
  return {
    servers: [...servers.start, ...observers(ports, options), ...balancers(ports, replicas)],
    steps: [
      { name: 'databases', run: async () => void Object.assign(databases, await createDatabases(servers.adminUrl, secrets)) },
      { name: 'migrations', run: async () => void (await migrateStack(planes)) },
      ...(nats > 1 ? [{ name: 'leader of the NATS cluster', run: () => jetStreamAnswers(planes) }] : []),
      { name: 'streams', run: () => prepareBuses(planes, nats) },
      { name: 'demo company', run: async () => provisionStack(planes, await demo(secrets)) },
    ],
    units: () => [
      ...describeUnits(settings).flatMap((unit) => replicasOf(unit, replicas)),
      describeExample(settings, databases[EXAMPLE_DATABASE]),
    ],
    whenUp: [{ name: 'demo customer', run: async () => setScene(await demoActors(ports, secrets)) }],
    board: boardUrl(ports),
    docs: `${frontDoorUrl(ports)}/docs`,
    tryThis: toCopy(options, TRIGGER),
    alsoTry: [{ what: 'A contract flow of three turns, which Ana plays with the example service', command: toCopy(options, PLAY) }],
    demoChecks: [{ name: 'the story', command: toCopy(options, 'npm run story') }, demoCheck(options), flowCheck(options)],
    secrets: join(options.stateDir, 'secrets'),
  };
}

/** Keeps the newest traces in memory, unless the caller's own collector takes them, and serves the page that shows how the stack is. */
function observers(ports: Ports, { traces: collector, scale }: Options): Stack['servers'] {
  let receiver: TraceReceiver | undefined;
  const spans: KeptSpans = {
    get all() {
      return receiver?.all ?? [];
    },
    trace: (trace_id) => receiver?.trace(trace_id) ?? [],
  };
  const traces: Stack['servers'][number] = {
    name: 'traces',
    start: async () => {
      const opened = (receiver = await TraceReceiver.open({ port: ports.traces }));
      return { name: 'traces', title: 'traces', where: opened.url, close: () => opened.close() };
    },
  };
  const board: Stack['servers'][number] = {
    name: 'board',
    start: async () => {
      const opened = await BoardServer.open(ports.board, watchedServices(ports, scale.replicas), spans);
      return { name: 'board', title: 'board', where: opened.url, close: () => opened.close() };
    },
  };
  return collector ? [board] : [traces, board];
}

const watchedServices = (ports: Ports, replicas: number): Watched[] => [
  ...Object.entries({ ...ports.ops, [DEMO.consumer]: ports.example }).map(([name, opsPort]) => ({ name, opsPort })),
  ...replicasToWatch(ports, replicas),
];

const replicasToWatch = ({ ops }: Ports, replicas: number): Watched[] =>
  numbers(replicas)
    .slice(1)
    .flatMap((number) =>
      Object.entries(ops).map(([name, opsPort]) => ({ name: nameOf(name, number), opsPort: portsOf({ opsPort }, number).opsPort })),
    );

/** The services of the default stack that callers reach over HTTP. The feed consumer is none of them: it drains, and takes no webhooks. */
const balancedPorts = ({ serving, ops }: Ports, replicas: number): Balanced[] =>
  replicas === 1
    ? []
    : (['front-door', 'region-eu', 'region-us', 'forwarder', 'gateway'] as const).map((name) =>
        balancedOf({ port: serving[name], opsPort: ops[name] }, replicas),
      );

const balancers = (ports: Ports, replicas: number): Stack['servers'] =>
  balancedPorts(ports, replicas).map(({ port, targets }) => ({
    name: `balancer-${port}`,
    start: async () => {
      const opened = await Balancer.open(port, targets);
      return { name: `balancer-${port}`, title: 'balancer', where: `http://127.0.0.1:${port}`, close: () => opened.close() };
    },
  }));

/** Checks that an edit of a person becomes a line of the example service, with the value in plaintext. */
function demoCheck(options: Options): DemoCheck {
  const value = `${randomBytes(4).toString('hex')}@demo.example`;
  const shows = { by: DEMO.consumer, part: value, withinMs: 20_000 };
  return { name: 'the demo', command: toCopy(options, `${TRIGGER} --value ${value}`), shows };
}

/** Checks that the example service prints the order whose price it was asked for. */
const flowCheck = (options: Options): DemoCheck => ({
  name: 'the flow',
  command: toCopy(options, `${PLAY} --quantity 7`),
  shows: { by: DEMO.consumer, part: 'an order of 7 boxes: 87.50', withinMs: 20_000 },
});

/** Returns a command for a person to copy. It names the state folder when that is not the one that the command uses by default. */
const toCopy = ({ stateDir }: Options, command: string): string =>
  `${stateDir === join(ROOT, '.codase') ? '' : `CODASE_STATE_DIR=${quoted(stateDir)} `}${command}`;

const quoted = (path: string): string => (/^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Removes databases that could not lie in the state folder (see `postgresFolder`), and returns their folder. */
export async function removeElsewhere({ stateDir }: Options): Promise<string[]> {
  const wanted = join(stateDir, 'postgres');
  const folder = await postgresFolder(wanted);
  if (folder === wanted || !existsSync(folder)) return [];
  await rm(folder, { recursive: true });
  return [folder];
}

async function createDatabases(
  adminUrl: string,
  secrets: Secrets,
): Promise<StackDatabases & Record<typeof EXAMPLE_DATABASE, DatabaseUrls>> {
  const password = (database: string, role: string) => secrets.password(`databases/${database}-${role}`);
  const [ownerPassword, appPassword] = [password(EXAMPLE_DATABASE, 'owner'), password(EXAMPLE_DATABASE, 'app')];
  return {
    ...(await createStackDatabases(adminUrl, password)),
    [EXAMPLE_DATABASE]: await createDatabase(adminUrl, { name: EXAMPLE_DATABASE, ownerPassword, appPassword }),
  };
}
