import { setTimeout as pause } from 'node:timers/promises';
import { processTreeOf } from '@codase/stack/processes';
import type { Backend, OwnConnection, Person, World, Company } from '@codase/testing';
import { ActsInHand } from '../documents/acts-in-hand.ts';
import { countSeals, StoredContracts } from '../documents/stored-contracts.ts';
import { SLUG } from '../request-field.ts';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack, planFaults, type Fault, type PlannedFault } from '../faults.ts';
import { unitProcess } from '../managed-process.ts';
import { addUp, NO_FAULTS, settled } from '../tally.ts';
import { untilAnswered } from '../until-answered.ts';
import { openWorld, soak, type SoakContext, type Scene, type SoakOptions, type SoakResult } from '../soak.ts';
import { ContractSigner } from './contract-signer.ts';
import { Conversation } from './conversation.ts';
import { Editor, type Edit } from './edit.ts';
import { EventReceiver } from './event-receiver.ts';
import { HarmlessRequests } from './harmless-requests.ts';
import { Mover, STAYS_MS } from './mover.ts';
import { TurnWriter } from './turn-writer.ts';
import { serviceClient, services } from '@codase/contracts';
import { SERVICE_KEYS } from '@codase/testing/keys';

const REGIONS = ['region-eu', 'region-us'] as const;
const UNITS = ['front-door', 'region-eu', 'region-us', 'delivery'] as const;
const MORE_SERVICES = 3;
/** Edits alone make about twenty events a second: a soak with more events than this gets more services, and turns. */
const EDITS_ALONE = 1000;
/** Up to this many events, persons pause before each edit, so that all faults see some and there are not ten times as many. */
const MAX_UNHURRIED_EVENTS = 100;
const UNHURRIED = { pauseMs: 1000 };
/** The text of a long value, and the pause before each edit: twenty such values fill the answer of a drain. */
const LONG = { text: (n: number) => String(n).padStart(150_000, '0'), pauseMs: 100 };
const HARMLESS_MS = { many: 200, few: 1000 } as const;
/** The pause before each message and each signature. */
const CORRESPONDENCE_MS = { large: 300, small: 1200 } as const;
/** How long a company stays before its first move in a short soak that waits for nothing but moves. */
const SOON_MS = { least: 500, most: 1500 } as const;
/** When nothing more has arrived for this long, the rest is lost: a killed delivery process keeps its leases for a while. */
const REST_MS = 90_000;
/** How long faults rest at most, so that a move can end. */
const MAX_REST_MS = 60_000;

/** What the faults of this soak break. */
interface Broken {
  world: World;
  processes: ProcessGroup;
}

const FAULTS: readonly PlannedFault<(typeof UNITS)[number], Broken>[] = [
  ...[...UNITS, ...REGIONS].map((unit) => ({ unit, on: ({ processes }: Broken) => processes.killing(unit) })),
  ...([...REGIONS, 'delivery'] as const).map((unit) => ({ unit, on: ({ processes }: Broken) => processes.hanging(unit) })),
  ...REGIONS.map((unit) => ({ unit, on: ({ world }: Broken) => killingPdfProcess(world, unit) })),
  { on: ({ world }) => awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })) },
  {}, // Postgres
];

/** Tests the platform while each part is killed in the middle of an act: all that was done arrives, once and in order. */
export const platformSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, (context) => openPlatform(context, options.kills));

async function openPlatform(context: SoakContext, kills: number | undefined): Promise<Scene> {
  const { cleanup } = context;
  const isUnhurried = context.events <= MAX_UNHURRIED_EVENTS;
  const isBroken = kills !== 0;
  const plan = planFaults(FAULTS, isBroken && !isUnhurried ? undefined : kills);
  const apart = UNITS.filter(plan.isHit);
  const world = await openWorld(context, { processes: apart, units: UNITS });
  const atShop = await EventReceiver.open(world.acme, world.shop, { leased: true }, cleanup);
  const atDesk = await EventReceiver.open(world.bolt, world.boltShop, { leased: false }, cleanup);
  const receivers = [atShop, atDesk];
  const isLarge = context.events > EDITS_ALONE;
  for (const company of isLarge ? [world.acme, world.bolt] : [])
    for (const [nth, backend] of (await moreServices(world, company, MORE_SERVICES)).entries())
      receivers.push(await EventReceiver.open(company, backend, { leased: nth % 2 === 0 }, cleanup));
  const connected = await connectAll(
    ['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code)),
    [world.shop, world.boltShop],
  );
  const schedule = isUnhurried ? UNHURRIED : {};
  const editors = connected.map(({ person, connection, isLong }) => new Editor(person, connection, { ...(isLong && LONG), ...schedule }));
  const corresponding = isLarge ? connected : connected.slice(1, 3); // at first these two live in another region than the company
  const everyMs = isLarge ? CORRESPONDENCE_MS.large : CORRESPONDENCE_MS.small;
  const conversations = corresponding.map(({ person, backend, connection }) => new Conversation(person, backend, connection, everyMs));
  const acts = new ActsInHand();
  // A seal needs a process with fonts, so only one person signs when few events are wanted, and nobody when nothing breaks.
  const signing = !isBroken ? [] : corresponding.slice(0, isLarge ? Infinity : 1);
  const signers = signing.map(({ person, backend, connection }) => new ContractSigner(person, backend, connection, { acts, everyMs }));
  const stored = await StoredContracts.open([world.databaseUrl('region_eu'), world.databaseUrl('region_us')], cleanup);
  // A kill in the middle of a move closes the company for up to half a minute. So when few events are wanted, only one company moves then,
  // and events of the other one still pass.
  const moving = isUnhurried && isBroken ? [world.acme] : [world.acme, world.bolt];
  const firstMs = isUnhurried && !isBroken ? SOON_MS : STAYS_MS;
  const movers = moving.map((company) => new Mover(company, firstMs, context.progress));
  const bases = [world.regionUrl('eu'), world.regionUrl('us')];
  const harmlessMs = isUnhurried ? HARMLESS_MS.few : HARMLESS_MS.many;
  const harmless = [atShop, atDesk].map(
    ({ backend, webhook_id }) => new HarmlessRequests(backend, bases, { webhook_id, everyMs: harmlessMs }),
  );
  const writers = await Promise.all((isLarge ? receivers : []).map((receiver) => TurnWriter.open(world, receiver, cleanup)));
  const processes = await ProcessGroup.of(
    apart.map((name) => unitProcess(world, name)),
    context,
  );
  const edits: Edit[] = [];
  const beside = () => [
    ...writers.flatMap(({ written }) => written),
    ...conversations.flatMap(({ sent }) => sent),
    ...signers.flatMap(({ announced }) => announced),
  ];
  const doubtful = () => new Set(writers.flatMap((writer) => [...writer.doubtful]));
  const correspondence = () => ({
    messages: conversations.reduce((total, { sent, answered }) => total + sent.length + answered.length, 0),
    acts: signers.reduce((total, { signed }) => total + signed.length, 0),
    interruptedActs: acts.interrupted,
    faultsInActs: acts.struck,
  });
  const judgeReceived = (kills: number) =>
    settled(() => {
      const [first, ...more] = receivers.map((receiver) => receiver.verdict([...edits, ...beside()], kills, doubtful()));
      return addUp(first!, ...more);
    }, REST_MS);
  const disturbances = () => ({
    cuts: all(({ cuts }) => cuts),
    heads: harmless.reduce((total, { count }) => total + count, 0),
    moves: movers.reduce((total, { moves }) => total + moves, 0),
  });
  const all = (count: (receiver: EventReceiver) => number) => receivers.reduce((total, receiver) => total + count(receiver), 0);
  return {
    processes,
    ...plan.on({ world, processes }),
    wellMs: { least: 500, most: 2500 },
    moment: async (signal) => {
      if (!isUnhurried) await lateMovesEnd(movers, signal); // a few faults cannot keep a move from its end
      await acts.middleOfOne(signal);
    },
    counts: () => ({
      events: edits.length + beside().length,
      edits: edits.length,
      ...correspondence(),
      drained: all(({ drained }) => drained),
      delivered: all(({ delivered }) => delivered),
      ...disturbances(),
    }),
    load: async (isOver) =>
      void (await Promise.all([
        ...editors.map((editor) => editor.editsUntil(isOver, edits)),
        ...writers.map((writer) => writer.writesUntil(isOver)),
        ...movers.map((mover) => mover.movesUntil(isOver)),
        ...harmless.map((requests) => requests.sendUntil(isOver)),
        ...conversations.map((conversation) => conversation.goesOnUntil(isOver)),
        ...signers.map((signer) => signer.signsUntil(isOver)),
      ])),
    judge: async ({ kills }) => {
      context.progress(`acts failed with ${acts.why}, and were repeated`);
      const received = await judgeReceived(kills);
      const { doubledActs, ...seals } = countSeals(await stored.contracts());
      const certificates = await stored.certificates();
      const wrongContracts = await Promise.all(signers.map((signer) => signer.wrong(certificates)));
      const written = await Promise.all(conversations.map((conversation) => conversation.verdict()));
      const doubled = { ...NO_FAULTS, duplicated: doubledActs, wrong: wrongContracts.reduce((a, b) => a + b, 0) };
      return {
        ...addUp(received, doubled, ...written),
        ...seals,
        ...correspondence(),
        ...disturbances(),
      };
    },
  };
}

/** Kills a process that reads PDFs, whatever it does, if one runs and the system lists processes. */
const killingPdfProcess = (world: World, region: (typeof REGIONS)[number]): Fault => ({
  name: `a process of ${region} that reads PDFs is killed`,
  strike: async () => {
    const [pid] = world.isUp(region) ? processTreeOf(world.pidOf(region)).slice(1) : [];
    try {
      return pid !== undefined && process.kill(pid, 'SIGKILL');
    } catch {
      return false; // the process has ended by itself
    }
  },
});

/** Waits while a company has been moving for long, but not for ever. */
async function lateMovesEnd(movers: readonly Mover[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + MAX_REST_MS;
  while (!signal.aborted && movers.some(({ isLate }) => isLate) && performance.now() < deadline) await pause(100);
}

interface Connected {
  person: Person;
  backend: Backend;
  connection: OwnConnection;
  isLong: boolean;
}

/** Connects persons to both services, one after the other each: a person's changes are made in turn and may not wait for long. */
async function connectAll(people: readonly Person[], [shop, desk]: readonly [Backend, Backend]): Promise<Connected[]> {
  const connect = async (person: Person, code: string, backend: Backend): Promise<Connected> => {
    const isLong = person === people.at(-1) && backend === desk;
    const connection = await untilAnswered(() => person.connections.connects(code, { [SLUG]: '0' }));
    return { person, backend, connection, isLong };
  };
  const connectBoth = async (person: Person) => [await connect(person, 'ACME/SHOP', shop), await connect(person, 'BOLT/DESK', desk)];
  return (await Promise.all(people.map(connectBoth))).flat();
}

/** Adds services to a company, with a backend each. A webhook gets its events one after the other, so a high volume needs several. */
async function moreServices(world: World, company: Company, count: number): Promise<Backend[]> {
  const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
  const { salt, iv, data } = encrypted_private_key;
  const backends: Backend[] = [];
  for (let nth = 0; nth < count; nth++) {
    const key = { public_key, encrypted_private_key: { iter: 100_000 as const, salt, iv, data } };
    const { id } = await company.asks(services.createService, { body: { name: `Soak ${nth}`, admin_email: 'soak@acme.example', ...key } });
    const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    backends.push(world.backendOf(company, { ...client, service_id: id }));
  }
  return backends;
}
