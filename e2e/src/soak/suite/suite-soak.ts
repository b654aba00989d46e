import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FaultDoor, World } from '@cds/testing';
import { publishMailField, SLUG } from '../request-field.ts';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack } from '../faults.ts';
import { ForkedScript, unitProcess } from '../managed-process.ts';
import { settled } from '../settled.ts';
import { soak, type SoakContext, type Scene, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { tally } from '../tally.ts';
import { faultsOf, sometimes } from './platform-faults.ts';
import { Effects } from './effects.ts';
import { EventWriter, type Customer } from './event-writer.ts';

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

async function openSuite(context: SoakContext): Promise<Scene> {
  const { cleanup, postgres, password } = context;
  const { world, doors } = await openWorld(context);
  const effects = await Effects.open(postgres.url, password);
  cleanup.push(() => effects.close());
  const customers = await connectCustomers(world);
  const writer = await EventWriter.open(world.databaseUrl('region_eu'), world.shop, customers);
  cleanup.push(() => writer.close());
  const env = { SOAK_BUS: JSON.stringify(world.internalAddress), SOAK_DATABASE: effects.url };
  const handlers = HANDLERS.map((name) => new ForkedScript(name, HANDLER, env));
  const processes = await ProcessGroup.of([...SUITE.map((name) => unitProcess(world, name)), ...handlers], context);
  for (const door of doors) door.misbehave(sometimes(GOES_WRONG, faultsOf(doors[0]!.url)));
  return {
    processes,
    faults: [
      ...[...SUITE, ...HANDLERS].map((name) => processes.killing(name)),
      ...[...SUITE, ...HANDLERS].map((name) => processes.hanging(name)),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 1000, most: 4000 },
    counts: () => ({ events: writer.written.length, handled: effects.count, ...seenAt(doors) }),
    load: (isOver) => writeUntil(isOver, writer, effects),
    judge: async () => {
      for (const door of doors) door.heal();
      const verdict = await settled(() => compare(effects, writer, customers), SILENCE_MS);
      return { ...verdict, parked: await parkedIn(world) };
    },
  };
}

const seenAt = (doors: readonly FaultDoor[]) => ({
  asked: doors.reduce((all, { asked }) => all + asked, 0),
  refused: doors.reduce((all, { faulted }) => all + faulted, 0),
});

/** Both planes, with a door before each part of the platform that the suite talks to: the region and the front door. */
async function openWorld({ postgres, nats, cleanup }: SoakContext): Promise<{ world: World; doors: FaultDoor[] }> {
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: SUITE, units: [], servers }); // of the platform nothing is killed
  cleanup.push(() => world.close());
  const doors = await Promise.all([world.regionUrl('eu'), world.frontDoorUrl].map((target) => FaultDoor.open({ target })));
  cleanup.push(() => Promise.all(doors.map((door) => door.close())));
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
  await publishMailField(world.acme, world.shop.service_id!);
  return Promise.all(
    Array.from({ length: CUSTOMERS }, async (_, nth) => {
      const person = await world.signsUp({ type: 'person' });
      const mail = `customer-${nth}@soak.example`;
      const { id: connection_id } = await person.connections.connects('ACME/SHOP', { [SLUG]: mail });
      return { person_user_id: person.user_id, share_code: person.share_code, connection_id, mail };
    }),
  );
}

/** Keeps the number of events under way bounded. A transaction that broke may have written its events or not: nobody waits for them. */
async function writeUntil(isOver: () => boolean, writer: EventWriter, effects: Effects): Promise<void> {
  while (!isOver()) {
    const underWay = writer.written.length - (await effects.look());
    if (underWay < UNDER_WAY) await writer.writes(AT_ONCE).catch(() => pause(200));
    else await pause(200);
  }
}

async function compare(effects: Effects, writer: EventWriter, customers: readonly Customer[]): Promise<Verdict> {
  const mails = new Map(customers.map(({ person_user_id, mail }) => [person_user_id, mail]));
  const handled = await effects.all();
  const numbered = handled.map(({ person, at }) => ({ key: person, n: writer.numberAt(at), message_id: String(writer.numberAt(at)) }));
  return {
    ...tally(writer.written.map(String), numbered),
    wrong: handled.filter(({ person, value }) => mails.get(person) !== value).length,
  };
}

export async function parkedIn(world: World): Promise<number> {
  const bus = await world.operator('suite');
  return (await (await bus.manager()).streams.info('PARKED')).state.messages;
}
