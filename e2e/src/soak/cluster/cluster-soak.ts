import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { templatesOn, type OwnConnection, type Person, type World } from '@codase/testing';
import { freePort } from '@codase/servers';
import { Balancer } from '@codase/stack/balancer';
import { awayAndBack, type Fault } from '../faults.ts';
import { BundledProgram, replicaProcess, type ReplicaProcess } from '../managed-process.ts';
import { FlowPlayer } from '../flows/flow-player.ts';
import { judgeAnswers, judgeEnds } from '../flows/judge-runs.ts';
import { publishOrderFlow } from '../flows/order-flow.ts';
import { EventReceiver } from '../platform/event-receiver.ts';
import { Editor } from '../platform/edit.ts';
import { judge } from '../platform/judge.ts';
import { ProcessGroup } from '../process-group.ts';
import { publishMailField, SLUG } from '../request-field.ts';
import { RequestLog, type RequestLimits } from '../request-log.ts';
import { addUp, NO_FAULTS, settled, type Judgement } from '../tally.ts';
import { openWorld, soak, type Scene, type SoakContext, type SoakOptions, type SoakResult } from '../soak.ts';
import { Effects } from '../suite/effects.ts';
import { handlerSettings } from '../suite/handler-settings.ts';
import { areReplicasCurrent, parkedOn } from '../stream-state.ts';
import { Release } from './release.ts';
import { askersOf } from './askers.ts';

type SaidEdit = Awaited<ReturnType<Editor['edits']>>;

const NODES = 3;
const REPLICAS = 2;
/** The services that callers reach over HTTP, which have a balancer in front of them. */
const SERVING = ['front-door', 'region-eu', 'region-us', 'forwarder'] as const;
const SERVICES = [...SERVING, 'delivery', 'gateway', 'feed-consumer', 'decryptor', 'twofa', 'flows'] as const;
const OF_FLOWS: readonly string[] = ['forwarder', 'flows'];
const HANDLERS = ['handler 1', 'handler 2'];
const PERSONS = 4;
const EDIT_PAUSE_MS = 400;
/** The regions of the customers who play runs of a contract flow, one in each, and the pause of each between two runs. */
const PLAYERS = ['eu', 'us'] as const;
const RUN_PAUSE_MS = 4000;
/** How long callers work before anything is killed or measured: programs that have just started are slower. */
const WARM_MS = 20_000;
/** When nothing more has arrived for this long, the rest counts as lost. */
const SILENCE_MS = 90_000;

/** The limits: a kill may fail the requests that the killed process was working on, an orderly restart may fail none. */
const UNDER_KILLS: RequestLimits = { failedShare: 0.005, worstWaitMs: 2000 };
const UNDER_RESTARTS: RequestLimits = { failedShare: 0 };
/** Two replicas of each service on three nodes are killed in turn. Each edit takes effect once and in order, each run ends once. */
export const clusterSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, (context) => openCluster(context, KILLS));

/** The same while every process is restarted in order, one after the other. No request may fail. */
export const restartSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, (context) => openCluster(context, RESTARTS));

/** The same while an earlier release is upgraded to this one and back, on migrated databases. No request may fail. */
export const upgradeSoak = (options: SoakOptions & { from: string }): Promise<SoakResult> =>
  soak(options, async (context) => openCluster(context, upgradeFrom(await Release.of(options.from, context.progress))));

interface Cluster {
  world: World;
  processes: ProcessGroup;
  replicas: readonly ReplicaProcess[];
}

interface Disturbance {
  isKilled: boolean;
  from?: Release;
  faults(cluster: Cluster): Fault[];
}

const KILLS: Disturbance = {
  isKilled: true,
  faults: ({ world, processes, replicas }) => [
    ...[...replicas.map(({ name }) => name), ...HANDLERS].map((name) => processes.killing(name)),
    ...nodesOf(world),
  ],
};

const RESTARTS: Disturbance = {
  isKilled: false,
  faults: ({ processes, replicas }) => replicas.map(({ name }) => processes.restarting(name)),
};

const upgradeFrom = (from: Release): Disturbance => ({
  isKilled: false,
  from,
  faults: ({ world, processes, replicas }) => {
    const becomes = (release: Release) => (replica: ReplicaProcess) => ({
      name: `${replica.name} becomes ${release.name}`,
      strike: (signal: AbortSignal) => {
        replica.startsFrom(release);
        return processes.restarting(replica.name).strike(signal);
      },
    });
    const migrate = () => Release.current.migrate(world.databaseUrls, { withFlows: from.hasFlows });
    const migrated = { name: 'the databases are migrated', strike: migrate };
    return [migrated, ...replicas.map(becomes(Release.current)), ...replicas.map(becomes(from))];
  },
});

async function openCluster(context: SoakContext, { isKilled, from, faults }: Disturbance): Promise<Scene> {
  const { postgres, cleanup, progress } = context;
  const services = SERVICES.filter((unit) => from?.hasFlows !== false || !OF_FLOWS.includes(unit));
  if (from) await templatesOn(postgres.url, (databases) => from.migrate(databases, { withFlows: from.hasFlows }));
  const limits = from ? await from.rateLimits() : 'generous';
  const world = await openWorld(context, { processes: 'many', units: [], limits, nodes: NODES });
  const replicas = await startReplicas(world, services, context, from);
  const effects = await Effects.open(context);
  await publishMailField(world.acme, world.shop.service_id!);
  const atDesk = await EventReceiver.open(world.bolt, world.boltShop, { leased: true }, cleanup);
  const requests = new RequestLog(isKilled ? UNDER_KILLS : UNDER_RESTARTS, {
    say: progress,
    fault: context.lastFault,
    outageMs: context.outageMs,
  });
  const editors = await connectPersons(world, requests);
  const askers = await askersOf(world, requests, services);
  const flow = services.includes('flows') ? await publishOrderFlow(world.acme, world.shop.service_id!) : undefined;
  const players = flow === undefined ? [] : await connectPlayers(world, flow, requests, progress);
  const started = () => players.flatMap((player) => player.started);
  const env = handlerSettings(world, effects.url, flow);
  const handlers = HANDLERS.map((name) => new BundledProgram(name, 'soak-handler', env));
  const processes = await ProcessGroup.of([...replicas, ...handlers], context);
  const operators = await Promise.all([world.operator('platform'), world.operator('suite')]);
  const edits: SaidEdit[] = [];
  const everybody = (isOver: () => boolean) => [
    ...editors.map((both) => editUntil(isOver, both, edits)),
    ...askers.map((ask) => ask(isOver)),
    ...players.map((player) => player.playsUntil(isOver)),
  ];
  const warmAt = performance.now() + WARM_MS;
  await Promise.all(everybody(() => performance.now() >= warmAt));
  requests.forget();
  return {
    processes,
    faults: faults({ world, processes, replicas }),
    isInTurn: true,
    isInOrder: from !== undefined,
    isRepaired: () => areReplicasCurrent(operators, NODES),
    sparesPostgres: !isKilled,
    wellMs: { least: 1000, most: 3000 },
    counts: () => ({
      events: edits.length,
      handled: effects.count,
      delivered: atDesk.delivered,
      runs: players.reduce((all, { finished }) => all + finished, 0),
      count: requests.count,
      failed: requests.failed,
      'ms worst wait': Math.round(requests.worstWaitMs),
    }),
    load: async (isOver) => void (await Promise.all([...everybody(isOver), checkUntil(isOver, effects)])),
    judge: async ({ kills }) => {
      const ends = async () => (flow === undefined ? NO_FAULTS : judgeEnds(world.shop, flow, started(), await effects.correspondence()));
      const verdictNow = async () => {
        const runs = await ends();
        const [handled, atOther] = [await judgeHandled(world, effects, edits), atDesk.verdict(edits, isKilled ? kills : 0, new Set())];
        return { ...addUp(atOther, handled, runs), runs, handled, atOther };
      };
      const { runs, handled, atOther, ...events } = await settled(verdictNow, SILENCE_MS);
      progress(`of edits in handlers: ${inWords(handled)}; by feed and webhook: ${inWords(atOther)}`);
      const answers = await judgeAnswers(world.shop, started());
      progress(`of ${started().length} runs: ${inWords(addUp(runs, answers))}`);
      return {
        ...addUp(events, answers),
        runs: started().length,
        parked: await parkedOn(await world.operator('suite')),
        requests: requests.tally,
      };
    },
  };
}

/** Starts the balancers, and then as many replicas at once as there are cores: more would only delay each other. */
async function startReplicas(
  world: World,
  services: readonly (typeof SERVICES)[number][],
  { cleanup, progress }: SoakContext,
  from?: Release,
): Promise<ReplicaProcess[]> {
  const started = new Map<string, ReplicaProcess>();
  const wanted: { unit: (typeof SERVICES)[number]; name: string; port: number; opsPort: number }[] = [];
  for (let number = 1; number <= REPLICAS; number++)
    for (const unit of services) wanted.push({ unit, name: `${unit} ${number}`, port: await freePort(), opsPort: await freePort() });
  for (const serving of SERVING.filter((one) => services.includes(one))) {
    const targets = wanted.filter(({ unit }) => unit === serving);
    const balancer = await Balancer.open(world.servingPort(serving), targets);
    cleanup.push(() => balancer.close());
  }
  const order = wanted.map(({ name }) => name);
  const startNext = async () => {
    for (let next = wanted.shift(); next; next = wanted.shift()) {
      const { unit, name, ...ports } = next;
      progress(`starting ${name}`);
      started.set(name, replicaProcess(name, await world.startsReplica(unit, ports, from)));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, startNext));
  return order.map((name) => started.get(name)!);
}

const nodesOf = (world: World) =>
  Array.from({ length: NODES }, (_, node) => awayAndBack(`NATS node ${node + 1}`, (awayMs) => world.restartBus({ awayMs, node })));

/** Connects persons to both services. Half of them live in the region of one company, half in that of the other. */
async function connectPersons(world: World, requests: RequestLog): Promise<Editor[][]> {
  const editor = (person: Person, connection: OwnConnection, nth: number) =>
    new Editor(person, connection, {
      text: (n) => `${n}.${nth}@soak.example`,
      pauseMs: EDIT_PAUSE_MS,
      untilAnswered: (ask) => requests.untilAnswered('edit', ask),
    });
  return Promise.all(
    Array.from({ length: PERSONS }, async (_, nth) => {
      const person = await world.signsUp({ type: 'person', region: nth % 2 === 0 ? 'eu' : 'us' });
      const connects = (code: string) => person.connections.connects(code, { [SLUG]: `0.${nth}@soak.example` });
      return [editor(person, await connects('ACME/SHOP'), nth), editor(person, await connects('BOLT/DESK'), nth)];
    }),
  );
}

async function connectPlayers(world: World, flow_id: string, requests: RequestLog, say: (line: string) => void): Promise<FlowPlayer[]> {
  const codase = await world.internalService();
  const untilAnswered: RequestLog['untilAnswered'] = (kind, ask) => requests.untilAnswered(kind, ask);
  return Promise.all(
    PLAYERS.map(async (region) => {
      const person = await world.signsUp({ type: 'person', region });
      const connection = await person.connections.connects('ACME/SHOP', { [SLUG]: `0.player@soak.example` });
      return new FlowPlayer({ person, connection, codase, flow_id, pauseMs: RUN_PAUSE_MS, hasScan: false, untilAnswered, say });
    }),
  );
}

async function editUntil(isOver: () => boolean, editors: readonly Editor[], edits: SaidEdit[]): Promise<void> {
  while (!isOver()) for (const editor of editors) edits.push(await editor.edits());
}

const inWords = ({ lost, duplicated, disordered, wrong }: Judgement) =>
  `lost ${lost}, duplicated ${duplicated}, disordered ${disordered}, wrong ${wrong}`;

const CHECK_MS = 500;

async function checkUntil(isOver: () => boolean, effects: Effects): Promise<void> {
  for (; !isOver(); await pause(CHECK_MS)) await effects.read();
}

const FIRST_VALUE = /^0\./;

/** Judges the effects in the handlers, whose plaintext identifies an edit. Values from connecting are no edits and are left out. */
async function judgeHandled(world: World, effects: Effects, edits: readonly SaidEdit[]) {
  const own = edits.filter(({ service_id }) => service_id === world.shop.service_id);
  await effects.read();
  const handled = (await effects.all())
    .filter(({ value }) => !FIRST_VALUE.test(value))
    .map(({ person, at, value }) => ({ id: '', person, at: at.toISOString(), value }));
  const expected = own.map((edit) => ({ ...edit, at: new Date(edit.at).toISOString(), value: edit.text }));
  return judge(handled, expected);
}
