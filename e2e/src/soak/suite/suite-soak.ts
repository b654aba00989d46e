import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FaultDoor, World } from '@cds/testing';
import { asksForMail, SLUG } from '../asks-for.ts';
import { Family } from '../family.ts';
import { awayAndBack } from '../faults.ts';
import { Forked, unitOf } from '../members.ts';
import { soak, type Ground, type Scene, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { tally } from '../tally.ts';
import { faultsOf, sometimes } from './bad-day.ts';
import { Effects } from './effects.ts';
import { Teller, type Customer } from './teller.ts';

const SUITE = ['gateway', 'feed-consumer', 'decryptor'] as const;
const HANDLERS = ['handler-1', 'handler-2'];
const HANDLER = fileURLToPath(new URL('../../../dist/soak/suite/handler.main.js', import.meta.url));
/** So many that most of the partitions are busy. */
const CUSTOMERS = 24;
/** Events in one transaction, and how many may be under way. */
const AT_ONCE = 100;
const UNDER_WAY = 1000;
/** One request to the platform in so many goes wrong. */
const GOES_WRONG = 4;
/** In the end nothing is waited for any more when nothing came for so long. */
const SILENCE_MS = 60_000;

/**
 * Both planes under fire: events go from a region's feed through gateway and feed consumer to the stream, and from there to handlers that
 * open their values and write them down. Gateway, feed consumer, decryptor, handlers, NATS and Postgres are killed, and the platform
 * refuses and cuts. Each event must take effect once, in its person's order, and none may be parked.
 */
export const suiteSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openSuite);

async function openSuite(ground: Ground): Promise<Scene> {
  const { closing, postgres, password } = ground;
  const { world, doors } = await openWorld(ground);
  const effects = await Effects.open(postgres.url, password);
  closing.push(() => effects.close());
  const customers = await connectCustomers(world);
  const teller = await Teller.open(world.databaseUrl('region_eu'), world.shop, customers);
  closing.push(() => teller.close());
  const told = { SOAK_BUS: JSON.stringify(world.internalAddress), SOAK_DATABASE: effects.url };
  const handlers = HANDLERS.map((name) => new Forked(name, HANDLER, told));
  const family = await Family.of([...SUITE.map((name) => unitOf(world, name)), ...handlers], ground);
  for (const door of doors) door.misbehave(sometimes(GOES_WRONG, faultsOf(doors[0]!.url)));
  return {
    family,
    faults: [
      ...[...SUITE, ...HANDLERS].map((name) => family.killing(name)),
      ...[...SUITE, ...HANDLERS].map((name) => family.hanging(name)),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 1000, most: 4000 },
    counts: () => ({ events: teller.told.length, handled: effects.count, ...seenAt(doors) }),
    load: (isOver) => tellUntil(isOver, teller, effects),
    judge: async () => {
      for (const door of doors) door.heal();
      const verdict = await judged(effects, () => compare(effects, teller, customers));
      return { ...verdict, parked: await parkedIn(world) };
    },
  };
}

const seenAt = (doors: readonly FaultDoor[]) => ({
  asked: doors.reduce((all, { asked }) => all + asked, 0),
  refused: doors.reduce((all, { faulted }) => all + faulted, 0),
});

/** Both planes, with a door before each part of the platform that the suite talks to: the region and the front door. */
async function openWorld({ postgres, nats, closing }: Ground): Promise<{ world: World; doors: FaultDoor[] }> {
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: 'many', traces: false, units: [], servers });
  closing.push(() => world.close());
  const doors = await Promise.all([world.regionUrl('eu'), world.frontDoorUrl].map((target) => FaultDoor.open({ target })));
  closing.push(() => Promise.all(doors.map((door) => door.close())));
  const [eu, frontDoor] = doors;
  const REGIONS = JSON.stringify([
    { region: 'eu', api_url: eu!.url },
    { region: 'us', api_url: world.regionUrl('us') },
  ]);
  await Promise.all([world.starts('front-door', { REGIONS }), world.starts('region-eu', { REGIONS })]);
  const gateway = world.starts('gateway', { FRONT_DOOR_URL: frontDoor!.url });
  await Promise.all([gateway, world.starts('feed-consumer'), world.starts('decryptor')]);
  return { world, doors };
}

async function connectCustomers(world: World): Promise<Customer[]> {
  await asksForMail(world.acme, world.shop.service_id!);
  return Promise.all(
    Array.from({ length: CUSTOMERS }, async (_, nth) => {
      const person = await world.signsUp({ type: 'person' });
      const mail = `customer-${nth}@soak.example`;
      const { id: connection_id } = await person.connects('ACME/SHOP', { [SLUG]: mail });
      return { person_user_id: person.user_id, share_code: person.share_code, connection_id, mail };
    }),
  );
}

/** Never more under way than a moment's worth. A transaction that broke may have told its events or not: nobody waits for them. */
async function tellUntil(isOver: () => boolean, teller: Teller, effects: Effects): Promise<void> {
  while (!isOver()) {
    const underWay = teller.told.length - (await effects.look());
    if (underWay < UNDER_WAY) await teller.tells(AT_ONCE).catch(() => pause(200));
    else await pause(200);
  }
}

/** As soon as nothing is missing, or when nothing has come for long. */
async function judged(effects: Effects, verdictNow: () => Promise<Verdict>): Promise<Verdict> {
  for (let [seen, since] = [-1, performance.now()]; ; await pause(1000)) {
    const verdict = await verdictNow();
    if (verdict.lost === 0 || performance.now() - since > SILENCE_MS) return verdict;
    if ((await effects.look()) > seen) [seen, since] = [effects.count, performance.now()];
  }
}

async function compare(effects: Effects, teller: Teller, customers: readonly Customer[]): Promise<Verdict> {
  const mails = new Map(customers.map(({ person_user_id, mail }) => [person_user_id, mail]));
  const handled = await effects.all();
  const numbered = handled.map(({ person, at }) => ({ key: person, n: teller.numberAt(at), message_id: String(teller.numberAt(at)) }));
  return { ...tally(teller.told.map(String), numbered), wrong: handled.filter(({ person, value }) => mails.get(person) !== value).length };
}

async function parkedIn(world: World): Promise<number> {
  const bus = await world.operator('suite');
  return (await (await bus.manager()).streams.info('PARKED')).state.messages;
}
