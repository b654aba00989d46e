import { portsFrom } from '@codase/stack';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../src/command/root.ts';
import { describe as describeStack } from '../../src/start/default-stack.ts';
import { runDemoCheck } from '../../src/start/demo-check.ts';
import type { Interruption } from '../../src/start/interruption.ts';
import { readOptions } from '../../src/start/options.ts';
import { readPidFile } from '../../src/start/pid-file.ts';
import { preflight } from '../../src/start/preflight.ts';
import { Progress } from '../../src/start/progress.ts';
import { bornAt } from '@codase/stack/processes';
import { eventually } from './played-services.ts';

interface Run {
  child: ChildProcess;
  output: string;
  exit: Promise<number | string>;
}

const UNITS = [
  'front-door',
  'region-eu',
  'region-us',
  'delivery',
  'forwarder',
  'gateway',
  'feed-consumer',
  'decryptor',
  'flows',
  'twofa',
  'shop-backend',
];

/**
 * The whole stack, as a person starts it. A start takes long, so each test continues where the one before it ended, and all tests of a
 * running stack share one. start.spec.ts checks that `--check` tries what the demo shows and exits with its outcome.
 */
describe('npm start with the default stack', () => {
  let dir: string;
  let stateDir: string;
  let portBase: number;
  let whole: Run;
  const runs: Run[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'codase-npm-start-'));
    chmodSync(dir, 0o711); // under root, Postgres runs as another user, who must be able to enter
    stateDir = join(dir, 'state');
    portBase = await freePortBase();
  });
  afterAll(async () => {
    for (const { child, exit } of runs) {
      child.kill('SIGKILL');
      await exit;
    }
    rmSync(dir, { recursive: true, force: true });
  });

  function npmStart(args: string[] = [], env: NodeJS.ProcessEnv = {}): Run {
    const { PATH, HOME } = process.env;
    const settings = { PATH, HOME, CODASE_STATE_DIR: stateDir, CODASE_PORT_BASE: String(portBase), npm_config_loglevel: 'silent', ...env };
    const child = spawn('npm', ['start', '--', ...args], { cwd: ROOT, env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
    const exit = new Promise<number | string>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal ?? '')));
    const run = { child, output: '', exit };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (run.output += text));
    runs.push(run);
    return run;
  }
  const signingKey = () => readFileSync(join(stateDir, 'secrets/token-signing-key.pem'), 'utf8');
  /** The stack as the command describes it, for a second look at what runs. */
  const defaultStack = () => describeStack(readOptions(['--port-base', String(portBase)], { CODASE_STATE_DIR: stateDir }, ROOT));
  const portsAreFree = () =>
    preflight(tmpdir(), allPorts(portBase)).then(
      () => true,
      () => false,
    );

  it('says how to fix invalid settings, and creates nothing', async () => {
    const run = npmStart(['--port-base', 'high'], { NATS_URL: 'nats://127.0.0.1:4222' });
    expect(await run.exit).toBe(2);
    expect(run.output).toMatch(/^--port-base is 'high': give a whole number .*\nNATS_URL is set and DATABASE_URL is not:/m);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('reports a missing nats-server, and leaves no Postgres running', async () => {
    const run = npmStart([], { NATS_SERVER_BIN: '/nonexistent' });
    expect(await run.exit).toBe(1);
    expect(run.output.trim().split('\n').at(-1)).toMatch(/^NATS_SERVER_BIN is \/nonexistent, .* Correct it or unset it\.$/);
    expect(await portsAreFree()).toBe(true);
  });

  it('stops during its start when npm is terminated, and leaves nothing running', async () => {
    const run = npmStart();
    await eventually('its steps are taken', () => run.output.includes('\ndemo company … ') || run.child.exitCode !== null);
    const pids = pidsOf(stateDir);
    expect(pids.length).toBeGreaterThanOrEqual(2);

    run.child.kill('SIGTERM');
    await eventually('everything has left', async () => pids.every((pid) => bornAt(pid) === undefined) && portsAreFree());
  });

  it('stores its secrets so that only their owner can read them', () => {
    const files = readdirSync(join(stateDir, 'secrets'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0).map(({ name }) => name)).toEqual([]);
    expect(statSync(join(stateDir, 'nats/nats.conf')).mode & 0o077).toBe(0);
  });

  it('starts the whole stack again with the state of the previous start', async () => {
    const key = signingKey();
    whole = npmStart();
    await eventually('it is up', () => whole.output.includes('Ctrl-C stops everything') || whole.child.exitCode !== null);

    expect(whole.output).not.toContain('making a Postgres database cluster');
    expect(signingKey()).toBe(key);
    for (const name of UNITS) expect(whole.output).toMatch(new RegExp(`^${name} +http://127\\.0\\.0\\.1:\\d+ `, 'm'));
    for (const name of ['postgres', 'nats']) expect(whole.output).toMatch(new RegExp(`^${name} [\\d.]+ +127\\.0\\.0\\.1:\\d+ `, 'm'));
    expect(whole.output).toMatch(
      /^One thing to try in another terminal, and to watch here:\n {2}CODASE_STATE_DIR=\S+ npm run codase -- trigger$/m,
    );
    expect(whole.output).toMatch(/^A contract flow of three turns, .*:\n {2}CODASE_STATE_DIR=\S+ npm run codase -- flows play$/m);
    expect(whole.output).toMatch(/^up after \d+\.\d s; logs in /m);
    expect(whole.output).toMatch(/^The API, explained and ready to try: http:\/\/127\.0\.0\.1:\d+\/docs$/m);
    expect(megabytesOf(whole.output)).toBeLessThan(2048);
  });

  it('refuses a second start', async () => {
    const second = npmStart();
    expect(await second.exit).toBe(1);
    expect(second.output).toMatch(/npm start already runs here: process \d+, since /);
  });

  it('can repeat its final steps on a running stack', async () => {
    const { whenUp } = await defaultStack();
    for (const { run } of whenUp!) await expect(run(() => undefined)).resolves.toBeUndefined();
  });

  it('runs the story and the demo of --check successfully', async () => {
    let reported = '';
    const progress = new Progress({ write: (text) => (reported += text) });
    createInterface({ input: whole.child.stdout! }).on('line', (line) => progress.say(line));
    const interruption = { requested: new Promise<void>(() => {}), orElse: <T>(work: Promise<T>) => work } as Interruption;
    const { demoChecks } = await defaultStack();
    for (const check of demoChecks) await runDemoCheck(check, { root: ROOT, progress, interruption });

    expect(reported).toContain('the story … ');
    expect(reported).toContain('Ana Lind agrees: the run is completed');
    expect(reported).toContain('it asks there who it is\n    {"company_user_id":"usr_demo_acme","service_id":"ser_demo_shop"}');
    expect(reported).toContain('421 region.rebase_required');
    const edited = /Ana Lind edits email: (\S+@demo\.example)$/m.exec(reported)?.[1];
    expect(whole.output).toContain(`\nshop-backend: Ana Lind changed email: ${edited}\n`);
    const logs = readdirSync(join(stateDir, 'logs')).map((name) => readFileSync(join(stateDir, 'logs', name), 'utf8'));
    expect(logs.join('')).not.toContain(edited);
  });

  it('stops when npm is terminated', async () => {
    const pids = pidsOf(stateDir);
    expect(pids).toHaveLength(13);
    whole.child.kill('SIGTERM');
    await eventually('everything has left', async () => pids.every((pid) => bornAt(pid) === undefined) && portsAreFree());
  });
});

const pidsOf = (stateDir: string) => readdirSync(join(stateDir, 'pids')).map((name) => readPidFile(join(stateDir, 'pids', name))?.pid ?? 0);

function allPorts(base: number) {
  const { serving, ops, postgres, nats } = portsFrom(base);
  return [...Object.values(serving), ...Object.values(ops), postgres, nats].map((port) => ({ port, for: 'the stack' }));
}

/** Returns a free base above the ports of the test worlds and below those that the system gives to outgoing connections. */
async function freePortBase(): Promise<number> {
  for (let base = 31_000; base < 32_600; base += 100) {
    if (
      await preflight(tmpdir(), allPorts(base)).then(
        () => true,
        () => false,
      )
    )
      return base;
  }
  throw new Error('no hundred free ports between 31000 and 32600');
}

const megabytesOf = (output: string): number => Number(/^all, with this supervisor +(\d+) MB$/m.exec(output)?.[1] ?? 0);
