import type { NatsServer } from '@codase/servers';
import { consumersSoak } from '../src/index.ts';

/** The test breaks and repairs things all the time, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

it(
  'consumers handle every event once and in order while consumers, NATS and Postgres are killed',
  async () => {
    const nats = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

    const { kills, events, lost, duplicated, disordered, parked } = await consumersSoak({ nats, events: 600, kills: 8 });

    expect({ lost, duplicated, disordered, parked }).toEqual({ lost: 0, duplicated: 0, disordered: 0, parked: 0 });
    expect(kills).toBeGreaterThanOrEqual(8);
    expect(events).toBeGreaterThanOrEqual(600);
  },
  HANGS_MS,
);
