import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '@cds/runtime/resilience';
import { World, type Person } from '@cds/testing';
import { SLUG } from '../request-field.ts';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack } from '../faults.ts';
import { unitProcess } from '../managed-process.ts';
import { settled } from '../settled.ts';
import { soak, type SoakContext, type Scene, type SoakOptions, type SoakResult } from '../soak.ts';
import type { Edit } from './edit.ts';
import { Editor } from './editor.ts';
import { EventReceiver } from './event-receiver.ts';
import { HarmlessRequests } from './harmless-requests.ts';
import { sum } from './judge.ts';
import { moreServices } from './more-services.ts';
import { Mover } from './mover.ts';
import { TurnWriter } from './turn-writer.ts';

const UNITS = ['front-door', 'region-eu', 'region-us', 'delivery'] as const;
/** Of each company, beside the one that people are connected to. */
const MORE_SERVICES = 3;
/** Edits alone make some twenty a second; who wants more than this many events gets more services, and turns beside the edits. */
const EDITS_ALONE = 1000;
/** A long value, and the pause before each: twenty of them are as much as a drain may answer. */
const LONG = { text: (n: number) => String(n).padStart(150_000, '0'), pauseMs: 100 };
/** When nothing more has come for so long, the rest is lost: a delivery process that was killed holds its leases for a while. */
const REST_MS = 90_000;

/**
 * The platform under fire: people of both regions edit over HTTP, and turns of flows are queued beside them, while front door, regions,
 * delivery, Postgres and NATS are killed, readers cut their connections, HEAD and OPTIONS are sent to the drains, and both companies move
 * between the regions. Each edit and turn must reach the pull feed and the webhook of its service, in the person's order; on the pull feed
 * a repeat has the id it had before.
 */
export const platformSoak = (options: SoakOptions): Promise<SoakResult> =>
  soak(options, (context) => openPlatform(context, options.kills === 0 ? [] : UNITS));

/** Those that are killed have processes of their own. */
async function openPlatform(context: SoakContext, killed: readonly (typeof UNITS)[number][]): Promise<Scene> {
  const { postgres, nats, cleanup } = context;
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: killed, units: UNITS, servers });
  cleanup.push(() => world.close());
  const atShop = await EventReceiver.open(world.acme, world.shop, { leased: true }, cleanup);
  const atDesk = await EventReceiver.open(world.bolt, world.boltShop, { leased: false }, cleanup);
  const receivers = [atShop, atDesk];
  const isLarge = context.events > EDITS_ALONE;
  for (const company of isLarge ? [world.acme, world.bolt] : [])
    for (const [nth, backend] of (await moreServices(world, company, MORE_SERVICES)).entries())
      receivers.push(await EventReceiver.open(company, backend, { leased: nth % 2 === 0 }, cleanup));
  const editors = await connectAll(['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code)));
  const movers = [world.acme, world.bolt].map((company) => new Mover(company, context.progress));
  const bases = [world.regionUrl('eu'), world.regionUrl('us')];
  const harmless = [atShop, atDesk].map(({ backend, webhook_id }) => new HarmlessRequests(backend, bases, webhook_id));
  const writers = await Promise.all((isLarge ? receivers : []).map((receiver) => TurnWriter.open(world, receiver, cleanup)));
  const processes = await ProcessGroup.of(
    killed.map((name) => unitProcess(world, name)),
    context,
  );
  const edits: Edit[] = [];
  const turns = () => writers.flatMap(({ written }) => written);
  const doubtful = () => new Set(writers.flatMap((writer) => [...writer.doubtful]));
  const disturbances = () => ({
    cuts: all(({ cuts }) => cuts),
    heads: harmless.reduce((total, { count }) => total + count, 0),
    moves: movers.reduce((total, { moves }) => total + moves, 0),
  });
  const all = (count: (receiver: EventReceiver) => number) => receivers.reduce((total, receiver) => total + count(receiver), 0);
  return {
    processes,
    faults: [
      ...[...UNITS, 'region-eu', 'region-us'].map((name) => processes.killing(name)),
      ...['region-eu', 'region-us', 'delivery'].map((name) => processes.hanging(name)),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 500, most: 2500 },
    counts: () => ({
      events: edits.length + writers.reduce((total, { written }) => total + written.length, 0),
      edits: edits.length,
      drained: all(({ drained }) => drained),
      delivered: all(({ delivered }) => delivered),
      ...disturbances(),
    }),
    load: async (isOver) =>
      void (await Promise.all([
        ...editors.map((editor) => editsUntil(isOver, editor, edits)),
        ...writers.map((writer) => writer.writesUntil(isOver)),
        ...movers.map((mover) => mover.movesUntil(isOver)),
        ...harmless.map((requests) => requests.sendUntil(isOver)),
      ])),
    judge: async ({ kills }) => ({
      ...(await settled(() => sum(receivers.map((receiver) => receiver.verdict([...edits, ...turns()], kills, doubtful()))), REST_MS)),
      ...disturbances(),
    }),
  };
}

/**
 * Everybody connects to both services, so that some edits stay in a region and some cross to the other. The last one's values at the desk,
 * which drains plainly, are long. One after the other for each: the platform makes a person's changes in turn, and lets none wait for long.
 */
async function connectAll(people: readonly Person[]): Promise<Editor[]> {
  const codes = ['ACME/SHOP', 'BOLT/DESK'] as const;
  const connect = async (person: Person, code: string) => {
    const isLong = person === people.at(-1) && code === codes.at(-1);
    const connection = await whenAnswered(() => person.connections.connects(code, { [SLUG]: '0' }));
    return new Editor(person, connection, isLong ? LONG : {});
  };
  const connectBoth = async (person: Person) => [await connect(person, codes[0]), await connect(person, codes[1])];
  return (await Promise.all(people.map(connectBoth))).flat();
}

/** A machine that does much else may not answer in the time that the platform gives itself: the set-up asks again. */
async function whenAnswered<T>(work: () => Promise<T>, attempts = 10): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts === 1 || !isTransient(error)) throw error;
    await pause(1000);
    return whenAnswered(work, attempts - 1);
  }
}

async function editsUntil(isOver: () => boolean, editor: Editor, edits: Edit[]): Promise<void> {
  while (!isOver()) edits.push(await editor.edits());
}
