import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@codase/contracts';
import { HttpFaultProxy, type HttpFault, type OwnConnection, type Person, type World } from '@codase/testing';
import { ActsInHand } from '../documents/acts-in-hand.ts';
import { countSeals, StoredContracts } from '../documents/stored-contracts.ts';
import { publishMailField, SLUG } from '../request-field.ts';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack, planFaults, type PlannedFault } from '../faults.ts';
import { BundledProgram, unitProcess } from '../managed-process.ts';
import { parkedOn } from '../stream-state.ts';
import { openWorld, soak, type SoakContext, type Scene, type SoakOptions, type SoakResult } from '../soak.ts';
import { addUp, tally, settled, type Judgement } from '../tally.ts';
import { untilAnswered } from '../until-answered.ts';
import { Correspondent } from './correspondent.ts';
import { Effects } from './effects.ts';
import { EventWriter, type Customer } from './event-writer.ts';
import { handlerSettings } from './handler-settings.ts';

const SUITE = ['gateway', 'feed-consumer', 'decryptor'] as const;
const HANDLERS = ['handler-1', 'handler-2'];
/** The number of customers, so high that most partitions are busy. */
const CUSTOMERS = 24;
/** The number of customers who write to the service and sign its contracts. */
const CORRESPONDENTS = { many: 4, few: 1 } as const;
const MANY = { atOnce: 100, underWay: 1000, pauseMs: 0 };
/** Up to this number, events are written slowly, so that all faults see some and there are not ten times as many. */
const MAX_UNHURRIED_EVENTS = 1000;
const UNHURRIED = { atOnce: 10, underWay: 200, pauseMs: 500 };
/** One request in this many to the platform fails. */
const GOES_WRONG = 4;
/** When nothing more has arrived for this long, the soak stops waiting at the end. */
const SILENCE_MS = 60_000;

/** What the faults of this soak break. */
interface Broken {
  world: World;
  processes: ProcessGroup;
}
type Unit = (typeof SUITE)[number];

const FAULTS: readonly PlannedFault<Unit, Broken>[] = [
  ...SUITE.map((unit) => ({ unit, on: ({ processes }: Broken) => processes.killing(unit) })),
  ...SUITE.map((unit) => ({ unit, on: ({ processes }: Broken) => processes.hanging(unit) })),
  ...HANDLERS.map((name) => ({ on: ({ processes }: Broken) => processes.killing(name) })),
  ...HANDLERS.map((name) => ({ on: ({ processes }: Broken) => processes.hanging(name) })),
  { on: ({ world }) => awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })) },
  {}, // Postgres
];

/** Tests both planes while the suite is killed and the platform refuses and cuts requests: all takes effect, once and in order. */
export const suiteSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, (context) => openSuite(context, options.kills));

async function openSuite(context: SoakContext, kills: number | undefined): Promise<Scene> {
  const { cleanup } = context;
  const isLarge = context.events > MAX_UNHURRIED_EVENTS;
  const plan = planFaults(FAULTS, isLarge ? undefined : kills);
  const apart = SUITE.filter(plan.isHit);
  const { world, proxies } = await openWithProxies(context, apart);
  const effects = await Effects.open(context);
  const customers = await connectCustomers(world);
  const acts = new ActsInHand();
  const corresponding = customers.slice(0, isLarge ? CORRESPONDENTS.many : CORRESPONDENTS.few);
  const correspondents = corresponding.map(({ person, connection }) => new Correspondent(person, connection, acts));
  const stored = await StoredContracts.open([world.databaseUrl('region_eu')], cleanup);
  const writer = await EventWriter.open(world.databaseUrl('region_eu'), world.shop, customers);
  cleanup.push(() => writer.close());
  const env = handlerSettings(world, effects.url);
  const handlers = HANDLERS.map((name) => new BundledProgram(name, 'soak-handler', env));
  const processes = await ProcessGroup.of([...apart.map((name) => unitProcess(world, name)), ...handlers], context);
  const correspondence = () => {
    const signed = correspondents.reduce((total, { names }) => total + names.length, 0);
    return { messages: 2 * signed, acts: signed, interruptedActs: acts.interrupted, faultsInActs: acts.struck };
  };
  for (const proxy of proxies) proxy.misbehave(sometimes(GOES_WRONG, faultsOf(proxies[0]!.url)));
  return {
    processes,
    ...plan.on({ world, processes }),
    wellMs: { least: 1000, most: 4000 },
    moment: (signal) => acts.middleOfOne(signal),
    counts: () => ({ events: writer.written.length, handled: effects.count, ...correspondence(), ...seenAt(proxies) }),
    load: async (isOver) =>
      void (await Promise.all([
        writeUntil(isOver, writer, effects, isLarge ? MANY : UNHURRIED),
        ...correspondents.map((correspondent) => correspondent.signsUntil(isOver)),
      ])),
    judge: async () => {
      context.progress(`acts failed with ${acts.why}, and were repeated`);
      for (const proxy of proxies) proxy.heal();
      const verdict = await settled(async () => {
        const handled = await effects.correspondence();
        const written = await Promise.all(correspondents.map((correspondent) => correspondent.verdict(handled)));
        return addUp(await compare(effects, writer, customers), ...written);
      }, SILENCE_MS);
      const { doubledActs, ...seals } = countSeals(await stored.contracts());
      const duplicated = verdict.duplicated + doubledActs;
      return { ...verdict, duplicated, ...seals, ...correspondence(), parked: await parkedOn(await world.operator('suite')) };
    },
  };
}

const seenAt = (proxies: readonly HttpFaultProxy[]) => ({
  count: proxies.reduce((all, { requests }) => all + requests, 0),
  refused: proxies.reduce((all, { faulted }) => all + faulted, 0),
});

/** Opens both planes, with a fault proxy in front of each part of the platform that the suite calls: the region and the front door. */
async function openWithProxies(context: SoakContext, apart: readonly Unit[]): Promise<{ world: World; proxies: HttpFaultProxy[] }> {
  const world = await openWorld(context, { processes: apart, units: [] }); // nothing of the platform is killed
  const proxies = await Promise.all([world.regionUrl('eu'), world.frontDoorUrl].map((target) => HttpFaultProxy.open({ target })));
  context.cleanup.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const [eu, frontDoor] = proxies;
  const REGIONS = JSON.stringify([
    { region: 'eu', api_url: eu!.url },
    { region: 'us', api_url: world.regionUrl('us') },
  ]);
  await Promise.all([world.starts('front-door', { REGIONS }), world.starts('region-eu', { REGIONS })]);
  const gateway = world.starts('gateway', { FRONT_DOOR_URL: frontDoor!.url });
  await Promise.all([gateway, world.starts('feed-consumer'), world.starts('decryptor')]);
  return { world, proxies };
}

/** Signs up and connects the customers. They are many at once, so on a slow machine the platform refuses some, who try again. */
async function connectCustomers(world: World): Promise<(Customer & { person: Person; connection: OwnConnection })[]> {
  await publishMailField(world.acme, world.shop.service_id!);
  return Promise.all(
    Array.from({ length: CUSTOMERS }, async (_, nth) => {
      const person = await untilAnswered(() => world.signsUp({ type: 'person' }));
      const mail = `customer-${nth}@soak.example`;
      const connection = await untilAnswered(() => person.connections.connects('ACME/SHOP', { [SLUG]: mail }));
      const { user_id: person_user_id, share_code } = person;
      return { person_user_id, share_code, connection_id: connection.id, mail, person, connection };
    }),
  );
}

/** Writes events and limits how many are under way. A broken transaction may have written its events or not, so nothing waits for them. */
async function writeUntil(isOver: () => boolean, writer: EventWriter, effects: Effects, load: typeof MANY): Promise<void> {
  while (!isOver()) {
    const underWay = writer.written.length - (await effects.read());
    if (underWay < load.underWay) await writer.writes(load.atOnce).catch(() => pause(200));
    else await pause(200);
    if (load.pauseMs > 0) await pause(load.pauseMs);
  }
}

async function compare(effects: Effects, writer: EventWriter, customers: readonly Customer[]): Promise<Judgement> {
  const mails = new Map(customers.map(({ person_user_id, mail }) => [person_user_id, mail]));
  const handled = await effects.all();
  const numbered = handled.map(({ person, at }) => ({ key: person, n: writer.numberAt(at), message_id: String(writer.numberAt(at)) }));
  return {
    ...tally(writer.written.map(String), numbered),
    wrong: handled.filter(({ person, value }) => mails.get(person) !== value).length,
  };
}

const answer = (refusal: Refusal): HttpFault => ({
  status: refusal.status,
  body: refusal.toBody(),
  ...(refusal.retryAfter !== undefined && { headers: { 'retry-after': String(refusal.retryAfter) } }),
});

/** The answers that the platform, or a proxy in front of it, may give instead: too many requests, not now, not here, or nonsense. */
const faultsOf = (api_url: string): readonly HttpFault[] => [
  'cut before',
  'cut after',
  answer(new Refusal('rate_limit.exceeded').after(1)),
  answer(new Refusal('db.writes_paused').after(1)),
  answer(new Refusal('region.rebase_required', { api_url })),
  { status: 502, body: 'bad gateway' },
];

const sometimes = (oneIn: number, faults: readonly HttpFault[]) => (): HttpFault | undefined =>
  Math.random() * oneIn < 1 ? faults[Math.floor(Math.random() * faults.length)] : undefined;
