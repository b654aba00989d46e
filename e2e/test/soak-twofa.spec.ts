import type { NatsServer } from '@codase/servers';
import { twofaSoak } from '../src/index.ts';

/** The test breaks and repairs things all the time, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

it(
  'twofa gives each login one outcome and no false approval while it and its dependencies are killed',
  async () => {
    const nats = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

    const until = ({ approved = 0, denied = 0, expired = 0 }: Record<string, number>) => approved > 0 && denied > 0 && expired > 0;
    const result = await twofaSoak({ nats, events: 8, kills: 3, persons: 2, isShort: true, until });

    const { kills, events, lost, duplicated, wrong, approved, denied, expired } = result;
    expect({ lost, duplicated, wrong }).toEqual({ lost: 0, duplicated: 0, wrong: 0 });
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(events).toBeGreaterThanOrEqual(8);
    for (const ended of [approved, denied, expired]) expect(ended).toBeGreaterThan(0);
  },
  HANGS_MS,
);
