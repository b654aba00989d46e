import { messageOf } from '@codase/command-line';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEEPER_TIMEOUTS } from '../../src/start/unit-keeper.ts';
import { openStateFolder } from '../../src/start/state-folder.ts';
import { Supervisor } from '../../src/start/supervisor.ts';
import type { Unit } from '../../src/start/unit.ts';
import { eventually, PlayedServices } from './played-services.ts';

const TIMEOUTS = { ...KEEPER_TIMEOUTS, restarts: { first: 100, longest: 400, healthy: 60_000, exits: 4 } };

describe('the supervisor', () => {
  let services: PlayedServices;
  let supervisor: Supervisor;
  let said: { line: string; at: number }[];
  beforeEach(() => {
    services = new PlayedServices();
    said = [];
  });
  afterEach(async () => {
    await supervisor.stop();
    services.close();
  });

  function supervise(units: Unit[], timeouts = TIMEOUTS): Supervisor {
    const { logs, pids } = openStateFolder(services.stateDir);
    const say = (line: string) => said.push({ line, at: performance.now() });
    supervisor = new Supervisor(units, { cwd: services.dir, logs, pids }, say, timeouts);
    return supervisor;
  }
  const saidOf = (start: string) => said.filter(({ line }) => line.startsWith(start));

  it('starts units after the units they need, and stops them in reverse order', async () => {
    const [flows, gateway] = [await services.unit('flows', {}, ['gateway']), await services.unit('gateway', {}, ['region'])];
    await supervise([flows, gateway, await services.unit('region')]).start();
    expect(supervisor.running.every(({ pid }) => pid !== undefined)).toBe(true);
    await supervisor.stop();

    const events = services.story.filter((line) => !line.includes('runs'));
    expect(events).toEqual(['region serves', 'gateway serves', 'flows serves', 'flows leaves', 'gateway leaves', 'region leaves']);
    expect(readdirSync(join(services.stateDir, 'pids'))).toEqual([]);
  });

  it('restarts a unit that exits, with growing pauses, and gives up after several exits in a row', async () => {
    await supervise([await services.unit('delivery', { DIES_AFTER: '300' }), await services.unit('region')]).start();
    await eventually('it gives up', () => said.some(({ line }) => line.includes('stays down')));

    const deaths = saidOf('delivery died (exit code 3). The last lines of');
    expect(deaths.map(({ line }) => line.split('\n').slice(1))).toEqual([
      ['  | delivery cannot go on', 'delivery is started again in 0.1 s.'],
      ['  | delivery cannot go on', 'delivery is started again in 0.2 s.'],
      ['  | delivery cannot go on', 'delivery is started again in 0.4 s.'],
      ['  | delivery cannot go on', 'delivery died 4 times in a row and stays down; the rest goes on. Mend it and start again.'],
    ]);
    const absences = saidOf('delivery is back (process ').map(({ at }, i) => at - deaths[i]!.at);
    expect(absences.map((time, i) => time >= 100 * 2 ** i)).toEqual([true, true, true]);
    expect(supervisor.running.map(({ unit, pid }) => [unit.name, pid !== undefined])).toEqual([
      ['delivery', false],
      ['region', true],
    ]);
  });

  it('resets the count of exits after a time of health', async () => {
    const timeouts = { ...TIMEOUTS, restarts: { ...TIMEOUTS.restarts, healthy: 0, exits: 2 } };
    await supervise([await services.unit('delivery', { DIES_AFTER: '300' })], timeouts).start();
    await eventually('it died three times', () => saidOf('delivery died').length === 3);
    expect(said.some(({ line }) => line.includes('stays down'))).toBe(false);
  });

  it('reports the output of a unit that fails at its first start, and does not restart it', async () => {
    supervise([await services.unit('gateway', { BEHAVES: 'broken' })]);
    await expect(supervisor.start()).rejects.toThrow(
      /^gateway died \(exit code 1\)\. The last lines of .*gateway\.log:\n {2}\| gateway did not start\. DATABASE_URL: not set$/,
    );
    expect(services.pids).toHaveLength(1);
  });

  it('reports why a unit is not ready', async () => {
    /** Gives the unit twice the time when it did not answer yet, as on a busy machine. */
    const whyNotReady = async (ready = 1000): Promise<string> => {
      supervise([await services.unit('region', { BEHAVES: 'not-ready' })], { ...TIMEOUTS, ready });
      const why = await supervisor.start().then(() => 'it is ready', messageOf);
      if (!why.includes('ECONNREFUSED')) return why;
      await supervisor.stop();
      return whyNotReady(2 * ready);
    };

    expect(await whyNotReady()).toMatch(/^region is not ready after \d+ s: it answers 503: {"checks":{"database":"away"}}\./);
  });

  it('kills a unit that does not stop in time', async () => {
    await supervise([await services.unit('region', { BEHAVES: 'stubborn' })], { ...TIMEOUTS, leave: 2000 }).start();
    await supervisor.stop();
    expect(services.storyOf('region').slice(-2)).toEqual(['serves', 'stays']);
    expect(services.alive).toEqual([]);
  });

  it('starts no further unit after it is stopped', async () => {
    supervise([await services.unit('region'), await services.unit('gateway', {}, ['region'])]);
    const starting = supervisor.start();
    const refused = starting.catch(messageOf); // the handler is there before the refusal can happen
    await eventually('region runs', () => services.pids.length === 1);
    await supervisor.stop();

    expect(await refused).toMatch(/^(region|gateway) /);
    expect(services.storyOf('gateway')).toEqual([]);
    expect(services.alive).toEqual([]);
  });

  it('stops while a unit waits for its restart', async () => {
    const timeouts = { ...TIMEOUTS, restarts: { ...TIMEOUTS.restarts, first: 60_000, longest: 60_000 } };
    await supervise([await services.unit('delivery', { DIES_AFTER: '300' })], timeouts).start();
    await eventually('it waits', () => saidOf('delivery died').length === 1);
    await supervisor.stop();
    expect(services.pids).toHaveLength(1);
  });

  it('gives a unit only its own environment variables', async () => {
    process.env.DATABASE_URL = 'postgres://admin:secret@127.0.0.1/postgres';
    const unit = await services.unit('region');
    await supervise([unit]).start();
    delete process.env.DATABASE_URL;

    const environ = process.platform === 'linux' ? readFileSync(`/proc/${services.pids[0]}/environ`, 'utf8') : 'NAME=region';
    expect(environ).toContain('NAME=region');
    expect(environ).not.toContain('DATABASE_URL');
  });
});
