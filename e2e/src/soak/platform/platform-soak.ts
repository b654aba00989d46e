import { setTimeout as pause } from 'node:timers/promises';
import { World, type Person } from '@cds/testing';
import { SLUG } from '../asks-for.ts';
import { Family } from '../family.ts';
import { awayAndBack } from '../faults.ts';
import { unitOf } from '../members.ts';
import { soak, type Ground, type Scene, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { Editor, type Edit } from './editor.ts';
import { Hearing } from './hearing.ts';
import { sum } from './judge.ts';

const UNITS = ['front-door', 'region-eu', 'region-us', 'delivery'] as const;
/** The rest may take so long: a delivery process that was killed holds its leases for half a minute. */
const REST_MS = 90_000;

/**
 * The platform under fire: people of both regions edit over HTTP while front door, regions, delivery, Postgres and NATS are killed. Each
 * edit must reach the pull feed and the webhook of its service, in the person's order; on the pull feed a repeat has the id it had before.
 */
export const platformSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openPlatform);

async function openPlatform(ground: Ground): Promise<Scene> {
  const { postgres, nats, closing } = ground;
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: 'many', traces: false, units: UNITS, servers });
  closing.push(() => world.close());
  const atShop = await Hearing.open(world.acme, world.shop, { leased: true }, closing);
  const atDesk = await Hearing.open(world.bolt, world.boltShop, { leased: false }, closing);
  const hearings = [atShop, atDesk];
  const editors = await connectAll(['ANA', 'BEN', 'CHIARA'].map((code) => world.person(code)));
  const family = await Family.of(
    UNITS.map((name) => unitOf(world, name)),
    ground,
  );
  const edits: Edit[] = [];
  const all = (count: (hearing: Hearing) => number) => hearings.reduce((total, hearing) => total + count(hearing), 0);
  return {
    family,
    faults: [
      ...[...UNITS, 'region-eu', 'region-us'].map((name) => family.killing(name)),
      ...['region-eu', 'region-us', 'delivery'].map((name) => family.hanging(name)),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 500, most: 2500 },
    counts: () => ({ events: edits.length, drained: all(({ drained }) => drained), delivered: all(({ delivered }) => delivered) }),
    load: async (isOver) => void (await Promise.all(editors.map((editor) => editsUntil(isOver, editor, edits)))),
    judge: () => judged(hearings, edits),
  };
}

/** Everybody connects to both services, so that some edits stay in a region and some cross to the other. */
function connectAll(people: readonly Person[]): Promise<Editor[]> {
  const codes = ['ACME/SHOP', 'BOLT/DESK'];
  const connect = async (person: Person, code: string) => new Editor(person, await person.connects(code, { [SLUG]: '0' }));
  return Promise.all(people.flatMap((person) => codes.map((code) => connect(person, code))));
}

async function editsUntil(isOver: () => boolean, editor: Editor, edits: Edit[]): Promise<void> {
  while (!isOver()) edits.push(await editor.edits());
}

/** As soon as nothing is missing, or when it has had its time. */
async function judged(hearings: readonly Hearing[], edits: readonly Edit[]): Promise<Verdict> {
  for (const deadline = performance.now() + REST_MS; ; await pause(500)) {
    const verdict = sum(hearings.map((hearing) => hearing.verdict(edits)));
    if (verdict.lost === 0 || performance.now() > deadline) return verdict;
  }
}
