import { setTimeout as pause } from 'node:timers/promises';
import { World, type Person } from '@cds/testing';
import { SLUG } from '../request-field.ts';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack } from '../faults.ts';
import { unitProcess } from '../managed-process.ts';
import { soak, type SoakContext, type Scene, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { Editor, type Edit } from './editor.ts';
import { EventReceiver } from './event-receiver.ts';
import { sum } from './judge.ts';

const UNITS = ['front-door', 'region-eu', 'region-us', 'delivery'] as const;
/** The rest may take so long: a delivery process that was killed holds its leases for half a minute. */
const REST_MS = 90_000;

/**
 * The platform under fire: people of both regions edit over HTTP while front door, regions, delivery, Postgres and NATS are killed. Each
 * edit must reach the pull feed and the webhook of its service, in the person's order; on the pull feed a repeat has the id it had before.
 */
export const platformSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openPlatform);

async function openPlatform(context: SoakContext): Promise<Scene> {
  const { postgres, nats, cleanup } = context;
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: 'many', traces: false, units: UNITS, servers });
  cleanup.push(() => world.close());
  const atShop = await EventReceiver.open(world.acme, world.shop, { leased: true }, cleanup);
  const atDesk = await EventReceiver.open(world.bolt, world.boltShop, { leased: false }, cleanup);
  const receivers = [atShop, atDesk];
  const editors = await connectAll(['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code)));
  const processes = await ProcessGroup.of(
    UNITS.map((name) => unitProcess(world, name)),
    context,
  );
  const edits: Edit[] = [];
  const all = (count: (receiver: EventReceiver) => number) => receivers.reduce((total, receiver) => total + count(receiver), 0);
  return {
    processes,
    faults: [
      ...[...UNITS, 'region-eu', 'region-us'].map((name) => processes.killing(name)),
      ...['region-eu', 'region-us', 'delivery'].map((name) => processes.hanging(name)),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 500, most: 2500 },
    counts: () => ({ events: edits.length, drained: all(({ drained }) => drained), delivered: all(({ delivered }) => delivered) }),
    load: async (isOver) => void (await Promise.all(editors.map((editor) => editsUntil(isOver, editor, edits)))),
    judge: () => judged(receivers, edits),
  };
}

/** Everybody connects to both services, so that some edits stay in a region and some cross to the other. */
function connectAll(people: readonly Person[]): Promise<Editor[]> {
  const codes = ['ACME/SHOP', 'BOLT/DESK'];
  const connect = async (person: Person, code: string) => new Editor(person, await person.connections.connects(code, { [SLUG]: '0' }));
  return Promise.all(people.flatMap((person) => codes.map((code) => connect(person, code))));
}

async function editsUntil(isOver: () => boolean, editor: Editor, edits: Edit[]): Promise<void> {
  while (!isOver()) edits.push(await editor.edits());
}

/** As soon as nothing is missing, or when it has had its time. */
async function judged(receivers: readonly EventReceiver[], edits: readonly Edit[]): Promise<Verdict> {
  for (const deadline = performance.now() + REST_MS; ; await pause(500)) {
    const verdict = sum(receivers.map((receiver) => receiver.verdict(edits)));
    if (verdict.lost === 0 || performance.now() > deadline) return verdict;
  }
}
