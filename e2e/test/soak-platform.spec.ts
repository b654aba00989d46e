import type { NatsServer } from '@cds/servers';
import { platformSoak } from '../src/index.ts';

/** Things break and are mended all the while, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

const natsServer = () => JSON.parse(process.env['CDS_TEST_NATS_SERVER']!) as NatsServer;

it(
  'tells every edit to the feed and to the webhook, in order, while regions, delivery, NATS and Postgres are killed',
  async () => {
    const { kills, events, lost, duplicated, disordered, wrong } = await platformSoak({ nats: natsServer(), events: 100, kills: 4 });

    expect({ lost, duplicated, disordered, wrong }).toEqual({ lost: 0, duplicated: 0, disordered: 0, wrong: 0 });
    expect(kills).toBeGreaterThanOrEqual(4);
    expect(events).toBeGreaterThanOrEqual(100);
  },
  HANGS_MS,
);

it(
  'tells each of them once while readers cut their connections, HEADs are sent and companies move, and nobody is killed',
  async () => {
    const { lost, duplicated, disordered, wrong, cuts, heads, moves } = await platformSoak({
      nats: natsServer(),
      events: 100,
      kills: 0,
      until: ({ cuts = 0, heads = 0, moves = 0 }) => cuts > 0 && heads > 0 && moves > 1,
    });

    expect({ lost, duplicated, disordered, wrong }).toEqual({ lost: 0, duplicated: 0, disordered: 0, wrong: 0 });
    for (const disturbances of [cuts, heads, moves]) expect(disturbances).toBeGreaterThan(0);
  },
  HANGS_MS,
);
