import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DemoCheck } from '../../src/start/stack.ts';
import type { Unit } from '../../src/start/unit.ts';
import { eventually, PlayedServices } from './played-services.ts';

const STAND_IN = fileURLToPath(new URL('stand-in.mjs', import.meta.url));

interface Described {
  units: Unit[];
  fails?: string;
  tryThis?: string;
  demoChecks?: DemoCheck[];
}

/** A run of npm start, under observation. */
class Start {
  output = '';
  readonly process: ChildProcess;
  readonly exit: Promise<number | string>;

  constructor(services: PlayedServices, stack: object, args: string[], env: NodeJS.ProcessEnv) {
    const file = join(services.dir, 'stack.json');
    writeFileSync(file, JSON.stringify({ servers: ['postgres', 'nats'], story: services.storyFile, tryThis: 'echo hello', ...stack }));
    const settings = { PATH: process.env.PATH, CODASE_STATE_DIR: services.stateDir, ...env };
    this.process = spawn(process.execPath, [STAND_IN, file, ...args], {
      env: settings,
      cwd: services.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) stream?.on('data', (text: Buffer) => (this.output += text));
    this.exit = new Promise((resolve) => this.process.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')));
  }

  async up(): Promise<this> {
    const isUp = () => this.output.includes('Ctrl-C stops everything');
    await eventually('it is up', () => isUp() || this.process.exitCode !== null);
    if (!isUp()) throw new Error(`npm start ended before it was up:\n${this.output}`);
    return this;
  }

  interrupt(signal: NodeJS.Signals = 'SIGINT'): Promise<number | string> {
    this.process.kill(signal);
    return this.exit;
  }
}

describe('npm start', () => {
  let services: PlayedServices;
  let starts: Start[];
  beforeEach(() => {
    services = new PlayedServices();
    starts = [];
  });
  afterEach(async () => {
    for (const { process, exit } of starts) {
      process.kill('SIGKILL');
      await exit;
    }
    services.close();
  });

  function start(stack: Described, args: string[] = [], env: NodeJS.ProcessEnv = {}): Start {
    const begun = new Start(services, stack, args, env);
    starts.push(begun);
    return begun;
  }
  const events = () => services.story.filter((line) => !/ (runs \d+|serves)$/.test(line));
  const twoUnits = async () => [await services.unit('region'), await services.unit('gateway', {}, ['region'])];

  it('starts everything in order, lists its processes, and stops them in reverse order on Ctrl-C', async () => {
    const run = await start({ units: await twoUnits() }).up();
    const lines = run.output.split('\n');
    expect(lines.filter((line) => / … \d+\.\d s$/.test(line)).map((line) => line.split(' … ')[0])).toEqual([
      expect.stringMatching(/^(postgres|nats) 1.0 on 127.0.0.1$/),
      expect.stringMatching(/^(postgres|nats) 1.0 on 127.0.0.1$/),
      'migrations',
      'region',
      'gateway',
      'a last step',
    ]);
    for (const name of ['region', 'gateway', 'postgres', 'nats']) {
      expect(lines.some((line) => line.startsWith(name) && line.includes(`  ${services.pidOf(name)}`))).toBe(true);
    }
    expect(run.output).toContain('One thing to try in another terminal, and to watch here:\n  echo hello');

    expect(await run.interrupt()).toBe(0);
    expect(events()).toEqual(['migrations run', 'all is up', 'gateway leaves', 'region leaves', 'nats leaves', 'postgres leaves']);
    expect(services.alive).toEqual([]);
    expect(existsSync(join(services.stateDir, 'start.lock'))).toBe(false);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('treats %s like Ctrl-C', async (signal) => {
    const run = await start({ units: await twoUnits() }).up();
    expect(await run.interrupt(signal)).toBe(0);
    expect(services.alive).toEqual([]);
  });

  it('treats the two signals of one Ctrl-C, from the terminal and from npm, as one', async () => {
    const run = await start({ units: await twoUnits() }).up();
    run.process.kill('SIGINT');
    expect(await run.interrupt()).toBe(0);
    expect(events().slice(-4)).toEqual(['gateway leaves', 'region leaves', 'nats leaves', 'postgres leaves']);
  });

  it('stops at once on a second Ctrl-C', async () => {
    const run = await start({ units: [await services.unit('region', { BEHAVES: 'stubborn' })] }).up();
    run.process.kill('SIGINT');
    await eventually('it is asked to leave', () => services.storyOf('region').includes('stays'));
    await new Promise((resolve) => setTimeout(resolve, 1100));

    expect(await run.interrupt()).toBe(130);
    await eventually('all are gone', () => services.alive.length === 0);
    expect(existsSync(join(services.stateDir, 'start.lock'))).toBe(false);
  });

  it('can be interrupted while it starts', async () => {
    const run = start({ units: [await services.unit('region'), await services.unit('gateway', { BEHAVES: 'not-ready' }, ['region'])] });
    await eventually('the gateway starts', () => services.storyOf('gateway').includes('serves'));

    expect(await run.interrupt()).toBe(130);
    expect(events()).toEqual(['migrations run', 'gateway leaves', 'region leaves', 'nats leaves', 'postgres leaves']);
    expect(services.alive).toEqual([]);
  });

  it('leaves nothing running when it is killed', async () => {
    const run = await start({ units: await twoUnits() }).up();
    expect(await run.interrupt('SIGKILL')).toBe('SIGKILL');
    await eventually('all are gone', () => services.alive.length === 0);
    expect(events().slice(-4).sort()).toEqual(['gateway is orphaned', 'nats is orphaned', 'postgres is orphaned', 'region is orphaned']);
  });

  it('takes over from a killed start, and stops its remaining processes', async () => {
    const region = await services.unit('region');
    const killed = await start({ units: [{ ...region, env: { ...region.env, BEHAVES: 'hung' } }] }).up();
    const hung = services.pidOf('region');
    await killed.interrupt('SIGKILL');

    const next = start({ units: [region] });
    await eventually('the hung one is asked to leave', () => services.storyOf('region').includes('stays'));
    process.kill(hung, 'SIGKILL'); // earlier than the next start would, whose timeouts are longer than a test's
    await next.up();

    expect(next.output).toMatch(/stopped what an earlier start left running: .*region/);
    expect(await next.interrupt()).toBe(0);
  });

  it('refuses a second start, and leaves the first one running', async () => {
    const units = await twoUnits();
    const first = await start({ units }).up();
    const second = start({ units });

    expect(await second.exit).toBe(1);
    expect(second.output).toContain(`npm start already runs here: process ${first.process.pid}, since `);
    expect(second.output).toContain(', on ports from 4000');
    expect(await first.interrupt()).toBe(0);
  });

  it('starts nothing when a port is taken', async () => {
    const units = await twoUnits();
    const holder = createServer().listen(units[1]!.opsPort, '127.0.0.1');
    const run = start({ units });

    expect(await run.exit).toBe(1);
    expect(run.output).toMatch(new RegExp(`^Port ${units[1]!.opsPort}, wanted by gateway, is taken by `));
    expect(services.story).toEqual([]);
    holder.close();
  });

  it('stops everything when a server, a step or a unit fails, and reports the reason', async () => {
    const units = await twoUnits();
    const full = start({ units, fails: 'nats' });
    expect(await full.exit).toBe(1);
    expect(full.output).toMatch(/\nnats did not start: the disk is full\. Free some space and start again\.\n$/);
    expect(events()).toEqual(['postgres leaves']);

    const migrating = start({ units, fails: 'migrations' });
    expect(await migrating.exit).toBe(1);
    expect(migrating.output).toMatch(/\nmigrations: no such column\n$/);

    const broken = start({ units: [...units, await services.unit('twofa', { BEHAVES: 'broken' })] });
    expect(await broken.exit).toBe(1);
    expect(broken.output).toMatch(/\ntwofa died \(exit code 1\)\. The last lines of .*twofa\.log:\n {2}\| twofa did not start\. .*\n$/);
    expect(services.alive).toEqual([]);
    expect(existsSync(join(services.stateDir, 'start.lock'))).toBe(false);
  });

  it('restarts a server that was killed', async () => {
    const run = await start({ units: await twoUnits() }).up();
    process.kill(services.pidOf('nats'), 'SIGKILL');
    await eventually('it is back', () => run.output.includes('nats 1.0 is back (process '));

    expect(run.output).toContain('nats 1.0 died (SIGKILL).');
    expect(await run.interrupt()).toBe(0);
    expect(services.alive).toEqual([]);
  });

  it('removes the state of earlier starts with --fresh, and lists what it removed', async () => {
    const units = await twoUnits();
    await (await start({ units }).up()).interrupt();
    mkdirSync(join(services.stateDir, 'postgres'));
    const fresh = await start({ units }, ['--fresh']).up();

    expect(fresh.output).toMatch(
      new RegExp(`^fresh start: removed logs, pids, postgres from ${services.stateDir} and /var/lib/elsewhere\n`),
    );
    expect(readdirSync(services.stateDir).sort()).toEqual(['.gitignore', 'logs', 'pids', 'start.lock']);
    await fresh.interrupt();
  });

  it('removes nothing while a port is taken, because another stack may use the folder', async () => {
    const units = await twoUnits();
    await (await start({ units }).up()).interrupt();
    mkdirSync(join(services.stateDir, 'postgres'));
    const holder = createServer().listen(units[0]!.opsPort, '127.0.0.1');
    const fresh = start({ units }, ['--fresh']);

    expect(await fresh.exit).toBe(1);
    expect(fresh.output).toMatch(new RegExp(`^Port ${units[0]!.opsPort}, wanted by region, is taken by `));
    expect(readdirSync(services.stateDir)).toContain('postgres');
    holder.close();
  });

  it('runs the story once with --check, and exits with its result', async () => {
    const units = await twoUnits();
    const good = start({ units, tryThis: 'test -d state && echo told' }, ['--check']);
    expect(await good.exit).toBe(0);
    expect(good.output).toMatch(/the story … \d\.\d s\n {2}told\nstopping …\n$/);

    const bad = start({ units, tryThis: 'echo the feed is empty >&2; exit 4' }, ['--check']);
    expect(await bad.exit).toBe(1);
    expect(bad.output).toContain('the story (echo the feed is empty >&2; exit 4) failed:\nthe feed is empty\n');
    expect(services.alive).toEqual([]);
  });

  it('prints the output of a demo unit instead of logging it', async () => {
    const [region, shop] = [await services.unit('region'), { ...(await services.unit('shop')), shown: true }];
    const run = await start({ units: [region, shop] }).up();
    await fetch(`http://127.0.0.1:${region.opsPort}/say/whisper`);
    await fetch(`http://127.0.0.1:${shop.opsPort}/say/hello`);
    await eventually('it is shown', () => run.output.includes('\nshop: hello\n'));

    expect(run.output).not.toContain('whisper');
    expect(readFileSync(join(services.stateDir, 'logs/region.log'), 'utf8')).toBe('whisper\n');
    expect(readFileSync(join(services.stateDir, 'logs/shop.log'), 'utf8')).toBe('');
    expect(await run.interrupt()).toBe(0);
  });

  it('checks with --check that a demo unit prints the expected output', async () => {
    const shop = { ...(await services.unit('shop')), shown: true };
    const check = (says: string, withinMs: number): DemoCheck => ({
      name: 'the demo',
      command: `echo hello; node -e "fetch('http://127.0.0.1:${shop.opsPort}/say/${says}')"`,
      shows: { by: 'shop', part: 'hello', withinMs },
    });
    const good = start({ units: [shop], demoChecks: [check('hello', 120_000)] }, ['--check']);
    expect([await good.exit, good.output]).toEqual([0, expect.stringContaining('\nshop: hello\n')]);

    const bad = start({ units: [shop], demoChecks: [check('nothing', 500)] }, ['--check']);
    expect(await bad.exit).toBe(1);
    expect(bad.output).toContain(': shop did not tell of it within 0.5 s. Its log says more.');
  });

  it('refuses invalid settings before it does anything', async () => {
    const run = start({ units: await twoUnits() }, ['--port-base', '12'], { NATS_URL: 'nats://127.0.0.1' });
    expect(await run.exit).toBe(2);
    expect(run.output.trim().split('\n')).toHaveLength(2);
    expect(existsSync(services.stateDir)).toBe(false);
  });
});
