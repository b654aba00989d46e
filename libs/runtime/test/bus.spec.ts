import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { LongText, Refusal, subject, withBytes } from '@codase/contracts';
import { Bus, ProjectionReader, ProjectionWriter, ensureProjection } from '@codase/runtime/bus';
import { silentLog, type Facts } from '@codase/runtime/telemetry';
import { comesTrue, FaultProxy, TestBus } from '@codase/testing';
import { z } from 'zod';

const GREET = subject('test.greet.{language}', { message: z.strictObject({ name: z.string() }), reply: z.object({ text: z.string() }) });

/** The part of the library that sends pings. */
interface Heartbeats {
  interval: number;
  maxOut: number;
  start(): void;
}

describe('the bus', () => {
  let nats: TestBus;
  let bus: Bus;
  beforeAll(async () => {
    nats = await TestBus.open();
  });
  beforeEach(async () => {
    await nats.clear();
    bus = await nats.connect();
  });
  afterAll(() => nats?.close());

  const eventually = (check: () => unknown) => comesTrue(async () => expect(await check()).toBeTruthy());

  describe('request and reply', () => {
    it('carries a typed request to its handler and the reply back, with the values of the subject', async () => {
      await bus.answer(GREET, {}, ({ name }, { language }) => ({ text: `${language}: ${name}` }));

      expect(await bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).toEqual({ text: 'sv: Ana' });
    });

    it('returns a refusal to the requester as it was thrown', async () => {
      await bus.answer(GREET, {}, () => {
        throw new Refusal('region.rebase_required', { api_url: 'http://home' }).after(7);
      });

      await expect(bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).rejects.toMatchObject({
        key: 'region.rebase_required',
        status: 421,
        extras: { api_url: 'http://home' },
        retryAfter: 7,
      });
    });

    it('reports a final refusal that only a newer release knows as unknown, with its key and message', async () => {
      const archived = new Refusal('flows.not_found').because('The flow is archived');
      await bus.answer(GREET, {}, () => {
        throw Object.assign(archived, { key: 'flows.archived' });
      });

      await expect(bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).rejects.toMatchObject({
        key: 'gateway.refusal_unknown',
        message: 'flows.archived: The flow is archived',
      });
    });

    it('answers an invalid message and a failing handler without revealing internal details', async () => {
      await bus.answer(GREET, {}, () => {
        throw new Error('choked on hunter2');
      });

      await expect(bus.request(GREET, { language: 'sv' }, { name: 7 } as never)).rejects.toMatchObject({
        key: 'request.invalid',
        message: expect.stringContaining('name'),
      });
      await expect(bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).rejects.toMatchObject({
        key: 'service.unavailable',
        message: expect.not.stringContaining('hunter2'),
      });
    });

    it('fails with service.unavailable when no handler subscribes', async () => {
      await expect(bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).rejects.toMatchObject({
        key: 'service.unavailable',
        message: expect.stringContaining('Nobody answers'),
      });
    });

    it('sends an idempotent request again while no reply arrives, and returns the first reply', async () => {
      const requests: string[] = [];
      const ask = { ...GREET, idempotent: 'at_once' as const };
      const isOver = new EventEmitter();
      await bus.answer(ask, {}, async ({ name }) => {
        requests.push(name);
        if (requests.length === 1) await once(isOver, 'over'); // like a replica that is killed with the request in hand
        return { text: 'from another' };
      });

      expect(await bus.request(ask, { language: 'sv' }, { name: 'Ana' }, { timeout: 60_000 })).toEqual({ text: 'from another' });
      expect(requests).toEqual(['Ana', 'Ana']);
      isOver.emit('over');
    });

    it('sends an "in_turn" request again only when the timeout of the first attempt elapses', async () => {
      const given: number[] = [];
      const ask = { ...GREET, idempotent: 'in_turn' as const };
      const isOver = new EventEmitter();
      await bus.answer(ask, {}, async (_message, _values, { withinMs }) => {
        given.push(withinMs!);
        if (given.length === 1) await once(isOver, 'over');
        return { text: 'from another' };
      });

      expect(await bus.request(ask, { language: 'sv' }, { name: 'Ana' }, { timeout: 60_000 })).toEqual({ text: 'from another' });
      expect([given.length, given[0]]).toEqual([2, 1000]);
      expect(given[1]).toBeLessThanOrEqual(59_000);
      isOver.emit('over');
    });

    it('sends a request that is not idempotent only once', async () => {
      let requests = 0;
      await bus.answer(GREET, {}, async () => {
        requests += 1;
        await pause(1000); // longer than the pause before a repeat
        return { text: 'late' };
      });

      expect(await bus.request(GREET, { language: 'sv' }, { name: 'Ana' }, { timeout: 60_000 })).toEqual({ text: 'late' });
      expect(requests).toBe(1);
    });

    it('retries any request when no handler subscribed for a moment', async () => {
      const second = await nats.connect();
      const pending = second.request(GREET, { language: 'sv' }, { name: 'Ana' }, { timeout: 60_000 });
      await pause(20);
      await bus.answer(GREET, {}, ({ name }) => ({ text: name }));

      expect(await pending).toEqual({ text: 'Ana' });
    });

    it('identifies the requesting user by the inbox of the reply', async () => {
      await bus.answer(GREET, {}, (_message, _values, { user }) => ({ text: user ?? 'nobody' }));

      expect(await bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).toEqual({ text: 'tester' });
    });

    it('passes the timeout of the requester to the handler', async () => {
      await bus.answer(GREET, {}, (_message, _values, { withinMs }) => ({ text: String(withinMs) }));

      expect(await bus.request(GREET, { language: 'sv' }, { name: 'Ana' }, { timeout: 1234 })).toEqual({ text: '1234' });
    });

    it('sends a reply only to an inbox', async () => {
      const heard: string[] = [];
      bus.connection.subscribe('test.elsewhere', { callback: (_, message) => void heard.push(message.string()) });
      await bus.answer(GREET, {}, ({ name }) => ({ text: name }));

      bus.connection.publish('test.greet.sv', '{"name":"Ana"}', { reply: 'test.elsewhere' });
      await bus.request(GREET, { language: 'sv' }, { name: 'Ben' });

      expect(heard).toEqual([]);
    });

    it('fails with request.too_large when the reply is longer than the bus carries', async () => {
      await bus.answer(GREET, {}, () => ({ text: 'a'.repeat(1024 * 1024) }));

      await expect(bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).rejects.toMatchObject({ key: 'request.too_large' });
    });

    it('counts the headers of a reply towards the length that the bus carries', async () => {
      const READ = withBytes(
        subject('test.read', { message: z.strictObject({}), reply: z.object({ name: z.string(), file: LongText }) }),
        'file',
      );
      await bus.answer(READ, {}, () => ({ name: 'a file', file: Buffer.alloc(1024 * 1024) }));

      await expect(bus.request(READ, {}, {})).rejects.toMatchObject({ key: 'request.too_large' });
    });

    it.each([undefined, 'at_once', 'in_turn'] as const)(
      'refuses at once to send a request longer than the bus carries: repeated %s',
      async (idempotent) => {
        const requests: string[] = [];
        await bus.answer(GREET, {}, ({ name }) => ({ text: String(requests.push(name)) }));
        const ask = { ...GREET, ...(idempotent && { idempotent }) };
        const sent = bus.request(ask, { language: 'sv' }, { name: 'a'.repeat(1024 * 1024) }, { timeout: 60_000 });

        await expect(sent).rejects.toMatchObject({
          key: 'request.too_large',
          message: expect.stringContaining('1048576 bytes the bus carries'),
        });
        expect(requests).toEqual([]);
        expect(bus.isConnected).toBe(true);
      },
    );

    it('refuses a value that would add levels or wildcards to a subject', async () => {
      await expect(bus.request(GREET, { language: 'sv.>' }, { name: 'Ana' })).rejects.toThrow('not a subject token');
    });

    it('distributes requests among the replicas of one queue', async () => {
      const second = await nats.connect();
      let [one, two] = [0, 0];
      await bus.answer(GREET, {}, () => ({ text: String(one++) }), { queue: 'q' });
      await second.answer(GREET, {}, () => ({ text: String(two++) }), { queue: 'q' });

      await Promise.all(Array.from({ length: 40 }, () => bus.request(GREET, { language: 'sv' }, { name: 'Ana' })));

      expect(one + two).toBe(40);
      expect(Math.min(one, two)).toBeGreaterThan(0);
    });

    it('finishes a reply in flight before the connection closes', async () => {
      const second = await nats.connect();
      await second.answer(GREET, {}, async () => {
        await pause(300);
        return { text: 'late' };
      });

      const pending = bus.request(GREET, { language: 'sv' }, { name: 'Ana' });
      await pause(100);
      await second.close();

      expect(await pending).toEqual({ text: 'late' });
    });
  });

  it('sends no reply over a reconnected connection, because the server would reject it as forbidden', async () => {
    const answerer = { user: 'answerer', password: 'only-for-tests', publish: [], subscribe: ['test.>', '_INBOX_answerer.>'] };
    const tester = { user: 'tester', password: nats.credentials.password };
    await nats.nats.reload({ accounts: { test: { jetstream: true, users: [tester, { ...answerer, allow_responses: true }] } } });
    await eventually(() => bus.isConnected);
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (line: string, facts: Facts = {}) => void warnings.push(line, facts.error) };
    const second = await Bus.connect({ ...nats.credentials, ...answerer, name: 'test', log });
    const steps = new EventEmitter();
    await second.answer(GREET, {}, async () => {
      const mayAnswer = once(steps, 'may answer');
      steps.emit('asked');
      await mayAnswer;
      return { text: 'too late' };
    });

    const requested = once(steps, 'asked');
    const answered = bus.request(GREET, { language: 'sv' }, { name: 'Ana' }, { timeout: 1000 });
    const lost = answered.catch((error: unknown) => error);
    await requested;
    await second.connection.reconnect();
    await eventually(() => warnings.length > 0 && second.isConnected);
    steps.emit('may answer');
    expect(await lost).toMatchObject({ key: 'service.unavailable' });
    await second.connection.flush();

    expect(warnings).toEqual(['bus connection lost', undefined]);
    await second.close();
  });

  describe('a bus connection', () => {
    const users = (password: string) => ({ accounts: { test: { jetstream: true, users: [{ user: 'tester', password }] } } });

    it('reconnects to a server that refused its password for a while', async () => {
      const refusals = async () => (await readFile(nats.nats.log, 'utf8')).split('authentication error').length - 1;
      await nats.nats.reload(users('another-one'));
      await eventually(async () => (await refusals()) >= 3);
      expect(bus.isConnected).toBe(false);

      await nats.nats.reload(users(nats.credentials.password));

      await eventually(() => bus.isConnected);
      await bus.answer(GREET, {}, () => ({ text: 'back' }));
      expect(await bus.request(GREET, { language: 'sv' }, { name: 'Ana' })).toEqual({ text: 'back' });
    });

    it('uses the current password at each connect, and reports a fault while it is refused', async () => {
      let password = nats.credentials.password;
      const lines: string[] = [];
      const log = { ...silentLog, error: (_: string, { error }: Facts = {}) => void lines.push((error as Error).message) };
      const second = await Bus.connect({ ...nats.credentials, password: () => password, name: 'test', log });
      const { host } = new URL(nats.credentials.url);
      const fault = `NATS at ${host} does not let tester in: check the user and its password`;

      await nats.nats.reload(users('rotated'));
      await eventually(() => second.problem === fault);
      expect(lines).toEqual([fault]);
      password = 'rotated';

      await eventually(() => second.isConnected);
      await second.close();
      await nats.nats.reload(users(nats.credentials.password));
      await eventually(() => bus.isConnected);
    });

    it('connects to any server of the list when one is down', async () => {
      const url = `nats://127.0.0.1:1, ${nats.credentials.url}`;
      const second = await Bus.connect({ ...nats.credentials, url, name: 'test', log: silentLog, connectSeconds: 0 });

      expect(second.isConnected).toBe(true);
      await second.close();
    });

    it('fails at once when a cluster refuses the password, although its servers announce each other', async () => {
      const cluster = await refusingCluster(3);

      const connecting = Bus.connect({ ...nats.credentials, url: cluster.url, name: 'test', log: silentLog, connectSeconds: 60 });

      await expect(connecting).rejects.toThrow(/does not let tester in: check the user and its password$/);
      expect(cluster.logins).toBeLessThanOrEqual(4);
      await cluster.close();
    });

    it('is retried after an authentication timeout, which does not prove a wrong password', async () => {
      const cluster = await refusingCluster(1, 'Authentication Timeout');

      const connecting = Bus.connect({ ...nats.credentials, url: cluster.url, name: 'test', log: silentLog, connectSeconds: 1 });

      await expect(connecting).rejects.toThrow(/did not wait for the login: see that neither it nor this machine is overloaded$/);
      expect(cluster.logins).toBeGreaterThan(1);
      await cluster.close();
    });

    it('is dropped when the server answers no ping, even while bytes wait to be sent', async () => {
      const { hostname, port } = new URL(nats.credentials.url);
      const proxy = await FaultProxy.open({ target: { host: hostname, port: Number(port) } });
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
      const second = await Bus.connect({ ...nats.credentials, url: `nats://127.0.0.1:${proxy.port}`, name: 'test', log });
      const { heartbeats } = (second.connection as unknown as { protocol: { heartbeats: Heartbeats } }).protocol;
      expect(heartbeats.interval * (heartbeats.maxOut + 1)).toBe(30_000);

      proxy.blackHole();
      for (let nth = 0; nth < 64; nth += 1) second.connection.publish('test.nobody', Buffer.alloc(500_000));
      heartbeats.interval = 20; // the test does not wait for half a minute
      heartbeats.start();
      await eventually(() => warnings.includes('bus connection lost'));
      heartbeats.interval = 10_000;
      await proxy.heal();

      await eventually(() => second.isConnected);
      await second.close();
      await proxy.close();
    });

    it('reports when it is closed', async () => {
      const second = await nats.connect();
      let isOver = false;
      void second.closed.then(() => (isOver = true));
      await pause(20);
      expect(isOver).toBe(false);

      await second.close();

      await eventually(() => isOver);
    });

    it('closes while the server is unreachable, and may be closed twice', async () => {
      const { hostname, port } = new URL(nats.credentials.url);
      const proxy = await FaultProxy.open({ target: { host: hostname, port: Number(port) } });
      const connects = () => Bus.connect({ ...nats.credentials, url: `nats://127.0.0.1:${proxy.port}`, name: 'test', log: silentLog });
      const [away, leaving] = [await connects(), await connects()];
      await leaving.answer(GREET, {}, () => ({ text: 'never' }));

      proxy.blackHole(); // nobody answers the drain
      const left = leaving.close();
      await proxy.close();
      await eventually(() => !away.isConnected);
      await Promise.all([away.close(), away.close(), left]);

      await Promise.all([away.closed, leaving.closed]);
      await Promise.all([away.close(), leaving.close()]);
      expect([away.problem, leaving.problem]).toEqual(['the connection is closed', 'the connection is closed']);
    });

    it('fails with an error that says how to fix it when it cannot be made', async () => {
      const { host } = new URL(nats.credentials.url);
      const connects = (wrong: object) => Bus.connect({ ...nats.credentials, name: 'test', log: silentLog, connectSeconds: 0, ...wrong });

      await expect(connects({ password: 'guess' })).rejects.toThrow(
        `NATS at ${host} does not let tester in: check the user and its password`,
      );
      await expect(connects({ url: 'nats://me:secret@127.0.0.1:1' })).rejects.toThrow(
        'NATS at 127.0.0.1:1 cannot be reached: see that it runs, and that this is its address',
      );
      await expect(connects({ url: 'nats://nowhere.invalid:4222' })).rejects.toThrow('No connection to NATS at nowhere.invalid:4222: ');
    });
  });

  it('a projection reader sees existing rows, new rows and removed rows', async () => {
    const table = { bucket: 'things', shape: z.object({ n: z.int() }) };
    await ensureProjection(bus, table);
    const writer = await ProjectionWriter.open(bus, table);
    await writer.put('a', { n: 1 });

    const reader = await ProjectionReader.open(await nats.connect(), table, silentLog);
    expect(reader.get('a')).toEqual({ n: 1 });

    await writer.put('b', { n: 2 });
    await writer.remove('a');
    await eventually(() => reader.get('b') && !reader.get('a'));
    expect(reader.size).toBe(1);

    await reader.close();
    expect(reader.problem).toBe('the table is no longer followed');
  });

  it('a projection reader reports a problem after an invalid row, until the owner publishes it again', async () => {
    const table = { bucket: 'fitting', shape: z.object({ n: z.int() }) };
    await ensureProjection(bus, table);
    const writer = await ProjectionWriter.open(bus, table);
    await writer.put('a', { n: 1 });
    const reader = await ProjectionReader.open(await nats.connect(), table, silentLog);

    await bus.streams.publish('$KV.fitting.a', 'not json');
    await writer.put('b', { n: 2 });
    await eventually(() => reader.get('b'));
    expect([reader.get('a'), reader.isFollowing]).toEqual([{ n: 1 }, false]);
    expect(reader.problem).toMatch(/^a row does not fit/);

    reader.onMisfit((key) => void writer.put(key, { n: 3 }));
    await eventually(() => reader.isFollowing);
    expect(reader.get('a')).toEqual({ n: 3 });
    await reader.close();
  });

  it('a projection reader reads a recreated bucket from its beginning', async () => {
    const table = { bucket: 'restored', shape: z.object({ n: z.int() }) };
    await ensureProjection(bus, table);
    const before = await ProjectionWriter.open(bus, table);
    for (const n of [1, 2, 3]) await before.put(`k${n}`, { n });
    const said: unknown[] = [];
    const log = { ...silentLog, error: (_line: string, { error }: Facts = {}) => void said.push((error as Error).message) };
    const reader = await ProjectionReader.open(await nats.connect(), table, log);
    expect(reader.size).toBe(3);

    await (await bus.manager()).streams.delete('KV_restored');
    await eventually(() => reader.problem === 'the bucket restored is gone: run prepare of the app that owns it');
    expect(said).toEqual([reader.problem]);
    await ensureProjection(bus, table);
    await before.put('k2', { n: 20 });

    await eventually(() => reader.size === 1);
    expect([reader.get('k2'), reader.isFollowing]).toEqual([{ n: 20 }, true]);
    await reader.close();
  });

  it('a projection reader reads all rows of a projection that needs several replies', async () => {
    const table = { bucket: 'many', shape: z.object({ n: z.int() }) };
    await ensureProjection(bus, table);
    const writer = await ProjectionWriter.open(bus, table);
    await Promise.all(Array.from({ length: 1100 }, (_, n) => writer.put(`k${n}`, { n })));

    const reader = await ProjectionReader.open(await nats.connect(), table, silentLog);

    expect([reader.size, reader.get('k1099')]).toEqual([1100, { n: 1099 }]);
    await reader.close();
  });
});

/** Servers that announce each other, as those of a cluster do, and refuse every login. */
async function refusingCluster(nodes: number, words = 'Authorization Violation') {
  const sockets = new Set<Socket>();
  let logins = 0;
  let connect_urls: string[] = [];
  const servers = Array.from({ length: nodes }, () =>
    createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.write(
        `INFO ${JSON.stringify({ server_id: 'x', version: '2.12.0', proto: 1, headers: true, auth_required: true, connect_urls })}\r\n`,
      );
      socket.on('data', (said) => {
        if (!said.includes('CONNECT')) return;
        logins += 1;
        socket.end(`-ERR '${words}'\r\n`);
      });
    }),
  );
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  connect_urls = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    url: `nats://${connect_urls[0]}`,
    get logins() {
      return logins;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => once(server.close(), 'close')));
    },
  };
}
