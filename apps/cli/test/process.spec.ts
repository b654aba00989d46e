import { documents, FEED, operation, Refusal, RESEND, STATUS } from '@codase/contracts';
import { ensureParkedStream, ensureStream } from '@codase/runtime/bus';
import { comesTrue, eventually, TestBus } from '@codase/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '@codase/stack';
import { inTempTree } from '@codase/testing/temp-tree';

const MAIN = join(ROOT, 'bundle/cli.mjs');
const GONE = { event: 'field_deleted', slug: 'email', person_user_id: 'usr_1', share_code: null, at: '2026-01-31T12:00:00.000Z' } as const;

/** Later than the answers of other replicas, and well before the command stops waiting. */
const LATE_MS = 500;

/** Starts the command as a person does, but without npm. */
const codase = (args: string[], env?: Record<string, string>) => node([MAIN, ...args], env);

function node(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH: process.env.PATH, ...env } });
  const seen = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (seen.out += text));
  child.stderr.on('data', (text: Buffer) => (seen.err += text));
  return { child, seen, ended: once(child, 'close').then(([code]: unknown[]) => ({ code, ...seen })) };
}

describe('commands as programs', () => {
  it.each(['codase', 'operator'])('npm run %s and the program of the package print the help page', async (name) => {
    const entries = [
      [join(ROOT, 'tools/run.mjs'), name],
      [join(ROOT, 'apps/cli/bin', name === 'codase' ? 'codase.mjs' : 'codase-operator.mjs')],
    ];
    const pages = await Promise.all(entries.map((entry) => node([...entry, '--help']).ended));

    for (const { code, out } of pages) {
      expect(code).toBe(0);
      expect(out).toContain(`npm run ${name} -- COMMAND`);
      expect(out).toMatch(/Exit code 1 when/);
    }
  });

  it.each([['unheard-of'], ['events', 'resend', '--from', 'yesterday']])(
    '%s %s: reports invalid arguments in one line and exits with code 2',
    async (...args) => {
      const { code, out, err } = await codase(args).ended;

      expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 });
      expect(err).toContain('--help');
    },
  );
});

describe('npm run codase without a running stack', () => {
  it.each([['status'], ['trigger']])('%s says how to start a stack', (...args) =>
    inTempTree({}, async (dir) => {
      const { code, out, err } = await codase(args, { CODASE_STATE_DIR: dir }).ended;
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(new RegExp(`^Nothing runs from ${dir}: start it with npm start in another terminal.*, then try again\\.\n$`));
    }),
  );

  it('reports that the bus of the environment does not answer', async () => {
    const { code, err } = await codase(['status'], { NATS_URL: 'nats://127.0.0.1:1' }).ended;
    expect(code).toBe(1);
    expect(err).toBe('NATS at 127.0.0.1:1 cannot be reached: see that it runs, and that this is its address.\n');
  });

  it('reports errors in JSON when --json is given', async () => {
    const away = await codase(['status', '--json'], { NATS_URL: 'nats://127.0.0.1:1' }).ended;
    expect([away.code, JSON.parse(away.out)]).toEqual([1, { error: away.err.trim() }]);

    const wrong = await codase(['status', 'gateway', '--json']).ended;
    expect([wrong.code, JSON.parse(wrong.out)]).toEqual([2, { error: "'gateway' is not understood." }]);
  });
});

describe('npm run codase status', () => {
  /** The URL of every file that a run loads, as Node's coverage files list them. */
  const loaded = (dir: string): string[] =>
    readdirSync(dir).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as { result: { url: string }[] };
      return result.map(({ url }) => url);
    });

  it('loads neither a framework nor an app, so that it starts quickly', () =>
    inTempTree({}, async (dir) => {
      const unbundled = join(ROOT, 'apps/cli/dist/main.js'); // loads the same modules, in files that have names
      await node([unbundled, 'status'], { NATS_URL: 'nats://127.0.0.1:1', NODE_V8_COVERAGE: dir }).ended;
      const files = loaded(dir);

      expect(files.filter((file) => file.includes('/libs/runtime/dist/bus/'))).not.toEqual([]);
      expect(files.filter((file) => /node_modules\/(@nestjs|typeorm|fastify|pg)\/|\/apps\/(?!cli\/)/.test(file))).toEqual([]);
    }));
});

describe('npm run codase on a suite that the environment names', () => {
  let nats: TestBus;
  let env: Record<string, string>;
  beforeAll(async () => {
    nats = await TestBus.open();
    const { url, user, password } = nats.credentials;
    env = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
    await ensureStream(await nats.connect(), FEED.stream!, [FEED]);
  });
  afterAll(() => nats?.close());

  const publish = async (id: string) =>
    (await nats.connect()).publish(FEED, { service: 'shop', event: 'field_deleted', partition: 'p07' }, { id, ...GONE }, id);

  it('listen --json prints one line of JSON for each event until it is interrupted', async () => {
    const { child, seen, ended } = codase(['listen', '--json'], env);
    await eventually(async () => (seen.err.includes('listening to shop') ? true : undefined));
    for (const id of ['evt_1', 'evt_2']) await publish(id);
    await eventually(async () => (seen.out.split('\n').length > 2 ? true : undefined));
    child.kill('SIGINT');

    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { id: 'evt_1', ...GONE },
      { id: 'evt_2', ...GONE },
    ]);
  });

  it('ends on SIGINT while the gateway does not answer', async () => {
    const { promise: late, resolve: answer } = Promise.withResolvers<{ items: never[]; next_cursor: null }>();
    const { promise: requested, resolve: resolveRequested } = Promise.withResolvers<void>();
    const bus = await nats.connect();
    const answering = await bus.answer(operation(documents.listDocuments), {}, () => {
      resolveRequested();
      return late;
    });
    const { child, ended } = codase(['documents', 'list'], env);
    await requested;
    child.kill('SIGINT');

    expect(await ended).toMatchObject({ code: 130, out: '', err: 'Interrupted.\n' });
    answer({ items: [], next_cursor: null });
    await answering.drain();
  });

  it('listen ends when the reader of its output has closed the pipe', async () => {
    const { child, seen, ended } = codase(['listen'], env);
    await eventually(async () => (seen.err.includes('listening to shop') ? true : undefined));
    child.stdout.destroy();
    await publish('evt_3');

    expect(await ended).toMatchObject({ code: 0 });
  });

  it('events resend sends a time range page by page, and reports its progress', async () => {
    const requests: string[] = [];
    const bus = await nats.connect();
    const answering = await bus.answer(RESEND, { service: 'shop' }, ({ after, from, to }) => {
      requests.push(`${after} ${from} ${to}`);
      return requests.length < 3 ? { events: 10, next: String(requests.length * 10) } : { events: 3, next: null };
    });
    const [from, to] = ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00Z'];
    const { code, out, err } = await codase(['events', 'resend', '--from', from, '--to', to, '--json'], env).ended;
    await answering.drain();

    expect({ code, err }).toEqual({ code: 0, err: '10 events so far …\n20 events so far …\n' });
    expect(JSON.parse(out)).toEqual({ service: 'shop', events: 23, whole: true });
    expect(requests).toEqual([0, 10, 20].map((after) => `${after} 2026-01-31T12:00:00.000Z 2026-01-31T13:00:00.000Z`));
  });

  it('events resend waits and retries when the spool is full', async () => {
    let requests = 0;
    const bus = await nats.connect();
    const answering = await bus.answer(RESEND, { service: 'shop' }, () => {
      if (++requests === 2) throw new Refusal('feed_consumer.spool_full');
      return { events: 10, next: requests === 1 ? '10' : null };
    });
    const { code, out } = await codase(['events', 'resend', '--from', '1h', '--json'], env).ended;
    await answering.drain();

    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ service: 'shop', events: 20, whole: true });
  });

  it('status reports each replica of a service, even one that answers late', async () => {
    const bus = await nats.connect();
    await ensureParkedStream(bus);
    const said = { name: 'gateway', started_at: '2026-01-31T12:00:00.000Z' };
    const well = await bus.answer(STATUS, { name: 'gateway' }, () => ({ ...said, ready: true, checks: { nats: 'ok' } }));
    const unwell = await bus.answer(STATUS, { name: 'gateway' }, async () => {
      await pause(LATE_MS);
      return { ...said, ready: false, checks: { nats: 'ok', postgres: 'away' } };
    });

    await comesTrue(async () => {
      const { code, out } = await codase(['status', '--json'], env).ended;
      const { services, wrong } = JSON.parse(out) as { services: { name: string; answer: { ready: boolean } | null }[]; wrong: string[] };
      expect(code).toBe(1);
      expect(services.filter(({ name }) => name === 'gateway').map(({ answer }) => answer?.ready)).toEqual([true, false]);
      expect(wrong).toContain('gateway is not ready: postgres away.');
    });
    await Promise.all([well.drain(), unwell.drain()]);
  });

  it('events resend reports that no service answers', async () => {
    const { code, err } = await codase(['events', 'resend', '--from', '1h'], env).ended;
    expect({ code, err }).toEqual({ code: 1, err: 'Nobody answers codase.feed-consumer.v1.{service}.resend: is that service running?\n' });
  });
});
