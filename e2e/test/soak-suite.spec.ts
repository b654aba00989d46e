import type { NatsServer } from '@cds/servers';
import { suiteSoak } from '../src/index.ts';

/** Things break and are mended all the while, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

it(
  'brings every event to its handler once and in order while all that is on the way is killed, refuses or is cut',
  async () => {
    const nats = JSON.parse(process.env['CDS_TEST_NATS_SERVER']!) as NatsServer;

    const { kills, events, lost, duplicated, disordered, wrong, parked } = await suiteSoak({ nats, events: 500, kills: 4 });

    expect({ lost, duplicated, disordered, wrong, parked }).toEqual({ lost: 0, duplicated: 0, disordered: 0, wrong: 0, parked: 0 });
    expect(kills).toBeGreaterThanOrEqual(4);
    expect(events).toBeGreaterThanOrEqual(500);
  },
  HANGS_MS,
);
