import { setTimeout as pause } from 'node:timers/promises';
import { Faults, planFaults } from './faults.ts';

const SCHEDULE = { least: 0, most: 1, whole: async () => undefined, say: () => undefined };

describe('injected faults', () => {
  it('occur once each before any occurs twice, and end on request', async () => {
    const struck: string[] = [];
    const fault = (name: string) => ({ name, strike: async () => void struck.push(name) });
    const faults = new Faults(['a', 'b', 'c'].map(fault), SCHEDULE);

    while (faults.kills < 6) await pause(1);
    await faults.stop();

    expect([struck.slice(0, 3).sort(), struck.slice(3, 6).sort()]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    expect(struck).toHaveLength(faults.kills);
    expect(faults.kinds).toBe(3);
  });

  it('wait in turn until the last one is repaired', async () => {
    const order: string[] = [];
    const whole = async () => void order.push('whole');
    const faults = new Faults([{ name: 'a', strike: async () => void order.push('a') }], { ...SCHEDULE, whole, isInTurn: true });

    while (faults.kills < 12) await pause(1);
    await faults.stop();

    expect(order.slice(0, 24)).toEqual(Array.from({ length: 12 }, () => ['whole', 'a']).flat());
  });

  it('are planned as many as wanted, and tell which services are hit', () => {
    const strike = async () => undefined;
    const all = [
      ...(['one', 'other'] as const).map((unit) => ({ unit, on: (world: string) => ({ name: `${unit} of ${world}`, strike }) })),
      {}, // Postgres
    ];

    const plan = planFaults(all, 2);
    const { faults, sparesPostgres } = plan.on('the world');

    const hit = (['one', 'other'] as const).filter(plan.isHit);
    expect(faults.map(({ name }) => name).toSorted()).toEqual(hit.map((unit) => `${unit} of the world`));
    expect(faults).toHaveLength(sparesPostgres ? 2 : 1);
    const { faults: every, sparesPostgres: isSpared } = planFaults(all).on('the world');
    expect([every.length, isSpared]).toEqual([2, false]);
  });

  it('are not counted when their moment never comes', async () => {
    const waits = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)));
    const faults = new Faults([{ name: 'a', strike: waits }], SCHEDULE);

    await pause(10);
    await faults.stop();
    expect([faults.kills, faults.kinds]).toEqual([0, 0]);
  });

  it('end with the error of a repair that failed', async () => {
    const faults = new Faults([{ name: 'a', strike: () => Promise.reject(new Error('it stays broken')) }], SCHEDULE);

    while (!faults.isStuck) await pause(1);
    await expect(faults.stop()).rejects.toThrow('it stays broken');
  });
});
