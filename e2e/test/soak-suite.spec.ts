import type { NatsServer } from '@codase/servers';
import { suiteSoak } from '../src/index.ts';

/** The test breaks and repairs things all the time, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

it(
  'the suite delivers every event, message and signature once and in order while its parts are killed or cut off',
  async () => {
    const nats = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

    const until = (counts: Record<string, number>) => counts['acts']! > 0;
    const { kills, events, acts, sealsWithoutAct, actsWithoutSeal, ...verdict } = await suiteSoak({ nats, events: 250, kills: 4, until });

    const { lost, duplicated, disordered, wrong, parked } = verdict;
    expect({ lost, duplicated, disordered, wrong, parked }).toEqual({ lost: 0, duplicated: 0, disordered: 0, wrong: 0, parked: 0 });
    expect({ sealsWithoutAct, actsWithoutSeal }).toEqual({ sealsWithoutAct: 0, actsWithoutSeal: 0 });
    expect(acts).toBeGreaterThan(0);
    expect(kills).toBeGreaterThanOrEqual(4);
    expect(events).toBeGreaterThanOrEqual(250);
  },
  HANGS_MS,
);
