import type { NatsServer } from '@cds/servers';
import { twofaSoak } from '../src/index.ts';

/** Things break and are mended all the while, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

it(
  'tells each login one outcome, and no yes that nobody gave, while twofa, the gateway, both regions, NATS and Postgres are killed',
  async () => {
    const nats = JSON.parse(process.env['CDS_TEST_NATS_SERVER']!) as NatsServer;

    const { kills, events, lost, duplicated, wrong } = await twofaSoak({ nats, events: 16, kills: 3, persons: 2, isShort: true });

    expect({ lost, duplicated, wrong }).toEqual({ lost: 0, duplicated: 0, wrong: 0 });
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(events).toBeGreaterThanOrEqual(16);
  },
  HANGS_MS,
);
