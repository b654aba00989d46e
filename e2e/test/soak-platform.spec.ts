import type { NatsServer } from '@codase/servers';
import { platformSoak } from '../src/index.ts';

/** The test breaks and repairs things all the time, which takes many times as long on a loaded machine. */
const HANGS_MS = 900_000;

const CLEAN = { lost: 0, duplicated: 0, disordered: 0, wrong: 0 };
const natsServer = () => JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;

it(
  'the platform delivers each edit, message and signature in order while its parts are killed',
  async () => {
    const { kills, events, messages, acts, faultsInActs, ...verdict } = await platformSoak({
      nats: natsServer(),
      events: 50,
      kills: 4,
      until: ({ messages = 0, acts = 0, faultsInActs = 0 }) => messages > 0 && acts > 0 && faultsInActs > 0,
    });

    const { lost, duplicated, disordered, wrong, sealsWithoutAct, actsWithoutSeal } = verdict;
    expect({ lost, duplicated, disordered, wrong }).toEqual(CLEAN);
    expect({ sealsWithoutAct, actsWithoutSeal }).toEqual({ sealsWithoutAct: 0, actsWithoutSeal: 0 });
    expect(kills).toBeGreaterThanOrEqual(4);
    expect(events).toBeGreaterThanOrEqual(50);
    for (const count of [messages, acts, faultsInActs]) expect(count).toBeGreaterThan(0);
  },
  HANGS_MS,
);

it(
  'the platform delivers each edit and message once while readers disconnect and companies move',
  async () => {
    const { lost, duplicated, disordered, wrong, cuts, heads, moves, messages } = await platformSoak({
      nats: natsServer(),
      postgresUrl: process.env['CODASE_TEST_POSTGRES_URL']!,
      events: 50,
      kills: 0,
      until: ({ cuts = 0, heads = 0, moves = 0, messages = 0 }) => cuts > 0 && heads > 0 && moves > 1 && messages > 0,
    });

    expect({ lost, duplicated, disordered, wrong }).toEqual(CLEAN);
    for (const count of [cuts, heads, moves, messages]) expect(count).toBeGreaterThan(0);
  },
  HANGS_MS,
);
