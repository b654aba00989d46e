import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { startNats, type Nats, type NatsConfig, type NatsOptions, type NatsServer } from '@codase/servers';
import { eventually } from '@codase/testing/eventually';
import { command } from '../src/command.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { scratchFolder } from './scratch.ts';

undoAfterEach();

const server = JSON.parse(process.env.CODASE_TEST_NATS_SERVER!) as NatsServer;

const config: NatsConfig = {
  max_payload: 2 * 1024 * 1024,
  accounts: {
    SUITE: {
      jetstream: true,
      users: [
        { user: 'admin', password: 'a#1' },
        { user: 'reader', password: 'r', publish: [], subscribe: ['news.>'] },
        { user: 'service', password: 's', publish: ['_INBOX.none'], subscribe: ['ask', '_INBOX.>'], allow_responses: true },
        { user: 'writer', password: 'w', publish: ['news.>'], subscribe: [] },
      ],
    },
    OTHER: { users: [{ user: 'stranger', password: 'x' }] },
  },
};

async function start(options: Partial<NatsOptions> = {}): Promise<Nats> {
  const nats = await startNats(server, { durable: false, config, ...options });
  afterwards(() => nats.stop());
  return nats;
}

async function enter(nats: Nats, user: string, pass = user[0]): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url, user, pass, reconnect: false });
  afterwards(() => connection.close());
  return connection;
}

async function firstNews(nats: Nats): Promise<string | undefined> {
  const reader = await jetstreamManager(await enter(nats, 'admin', 'a#1'));
  return (await reader.streams.getMessage('NEWS', { seq: 1 }))?.string();
}

/** The message with which the server refused the last action of this connection, or "nothing". */
async function refusal(connection: NatsConnection): Promise<string> {
  const status = connection.status()[Symbol.asyncIterator]();
  const refused = status.next().then(({ value }) => String((value as { error?: Error }).error?.message));
  return Promise.race([
    refused,
    connection
      .flush()
      .then(() => connection.flush())
      .then(() => 'nothing'),
  ]);
}

describe('a running nats-server', () => {
  it('stores its passwords in a file that only its owner can read', async () => {
    const nats = await start();

    expect((await stat(join(nats.dir, 'nats.conf'))).mode & 0o777).toBe(0o600);
    await expect(enter(nats, 'admin', 'wrong')).rejects.toThrow(/authorization/i);
    await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow(/authorization/i);
  });

  it('refuses to let a user publish or subscribe without permission', async () => {
    const nats = await start();
    const [admin, reader, writer] = [await enter(nats, 'admin', 'a#1'), await enter(nats, 'reader'), await enter(nats, 'writer')];
    const heard = admin.subscribe('>');

    reader.publish('news.today', 'forged');
    expect(await refusal(reader)).toMatch(/permissions violation for publish to "news.today"/i);
    writer.subscribe('news.>');
    expect(await refusal(writer)).toMatch(/permissions violation for subscription to "news.>"/i);

    writer.publish('news.today', 'true');
    await writer.flush();
    await admin.drain();
    const texts: string[] = [];
    for await (const message of heard) texts.push(message.string());
    expect(texts).toEqual(['true']);
  });

  it('lets a service reply to a request, and publish nothing else', async () => {
    const nats = await start();
    const [admin, service] = [await enter(nats, 'admin', 'a#1'), await enter(nats, 'service')];
    service.subscribe('ask', {
      callback: (_, message) => {
        message.respond('answer');
      },
    });
    await service.flush();

    expect((await admin.request('ask', 'question')).string()).toBe('answer');
    service.publish('_INBOX.someone', 'unasked');
    expect(await refusal(service)).toMatch(/permissions violation/i);
  });

  it('isolates its accounts from each other', async () => {
    const nats = await start();
    const [writer, stranger] = [await enter(nats, 'writer'), await enter(nats, 'stranger', 'x')];
    const heard = stranger.subscribe('>');
    await stranger.flush();

    writer.publish('news.today');
    await writer.flush();
    await stranger.flush();

    expect(heard.getReceived()).toBe(0);
    await expect(jetstreamManager(stranger)).rejects.toThrow(/jetstream/i);
  });

  it('keeps acknowledged messages when it is killed, also for the next server on the same folder', async () => {
    const dir = await scratchFolder();
    const nats = await start({ dir, durable: true });
    const writer = await enter(nats, 'admin', 'a#1');
    await (await jetstreamManager(writer)).streams.add({ name: 'NEWS', subjects: ['news.>'] });
    await jetstream(writer).publish('news.today', 'kept');

    nats.kill();
    expect(await nats.exited).toBe('ended by SIGKILL');
    await nats.restart();
    expect(await firstNews(nats)).toBe('kept');

    await nats.stop();
    expect(await firstNews(await start({ dir, durable: true }))).toBe('kept');
  });

  it('leaves no folder behind when first it and then the process that started it are killed', async () => {
    const servers = new URL('../dist/index.js', import.meta.url);
    const script = `
      const { startNats } = await import(${JSON.stringify(servers.href)});
      const nats = await startNats(${JSON.stringify(server)}, { durable: false, config: { accounts: {} } });
      nats.kill();
      await nats.exited;
      process.stdout.write(nats.dir, () => process.kill(process.pid, 'SIGKILL'));`;

    const { output: dir } = await command(process.execPath, ['--input-type=module', '-e', script], { seconds: 30 });

    expect(dir).toContain('codase-nats-');
    expect(await eventually(async () => (existsSync(dir) ? undefined : 'gone'))).toBe('gone');
  });

  it('reloads its configuration while it runs, and keeps the old one when the new one is invalid', async () => {
    const nats = await start();
    const more = { ...config, accounts: { ...config.accounts, OTHER: { users: [{ user: 'guest', password: 'g' }] } } };
    await nats.reload(more);
    expect((await enter(nats, 'guest')).isClosed()).toBe(false);

    const twice = {
      accounts: {
        OTHER: {
          users: [
            { user: 'guest', password: 'g' },
            { user: 'guest', password: 'h' },
          ],
        },
      },
    };
    await expect(nats.reload(twice)).rejects.toThrow(/keeps the former one\. Its log says:\n.*Duplicate user/s);
    await nats.restart();
    expect((await enter(nats, 'guest')).isClosed()).toBe(false);
  });

  it('reports that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    afterwards(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    await expect(start({ port })).rejects.toThrow(`port ${port} is taken by another program. Stop that program or choose another port.`);
  });
});
