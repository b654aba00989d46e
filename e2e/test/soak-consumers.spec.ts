import type { NatsServer } from '@codase/servers';
import { consumersSoak } from '../src/index.ts';

/** The test breaks and repairs things all the time, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;
/** Each of the two consumers is killed, and so are NATS and Postgres. */
const FAULTS = 4;

it(
  'consumers handle every event once and in order while consumers, NATS and Postgres are killed',
  async () => {
    const nats = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

    const until = ({ faults = 0 }: Record<string, number>) => faults === FAULTS;
    const { kills, faults, events, lost, duplicated, disordered, parked } = await consumersSoak({ nats, events: 400, kills: 5, until });

    expect({ lost, duplicated, disordered, parked }).toEqual({ lost: 0, duplicated: 0, disordered: 0, parked: 0 });
    expect(kills).toBeGreaterThanOrEqual(5);
    expect(faults).toBe(FAULTS);
    expect(events).toBeGreaterThanOrEqual(400);
  },
  HANGS_MS,
);
