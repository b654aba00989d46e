import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { Bus, type BusTls } from '@codase/runtime/bus';
import { databaseAnswers, many, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog, type Facts } from '@codase/runtime/telemetry';
import { startNats, type Nats, type NatsServer } from '@codase/servers';
import { temporaryFolder, type TemporaryFolder } from '@codase/servers/temporary-folder';
import { comesTrue, eventually, selfSignedCertificate, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';

const PASSWORD = 'only-for-tests-and-never-in-clear';
const server = selfSignedCertificate();
const client = selfSignedCertificate();
const stranger = selfSignedCertificate();

describe('a bus connection over TLS', () => {
  let folder: TemporaryFolder;
  let nats: Nats;
  beforeAll(async () => {
    folder = temporaryFolder('tls');
    const file = (name: string, pem: string) => {
      writeFileSync(join(folder.path, name), pem, { mode: 0o600 });
      return join(folder.path, name);
    };
    const tls = {
      cert_file: file('server.pem', server.cert),
      key_file: file('server.key', server.key),
      ca_file: file('clients.pem', client.cert),
      verify: true,
      // Takes both kinds of clients. A client that begins with TLS has so long to do it, which a slow machine needs.
      handshake_first: '1s',
    };
    const accounts = { test: { users: [{ user: 'tester', password: PASSWORD }] } };
    nats = await startNats(JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer, {
      durable: false,
      dir: folder.path,
      config: { accounts, tls },
    });
  });
  afterAll(async () => {
    await nats?.stop();
    folder?.remove();
  });

  const connects = (tls: BusTls, url = nats.url.replace('nats:', 'tls:')) =>
    Bus.connect({ url, user: 'tester', password: PASSWORD, tls, name: 'test', log: silentLog, connectSeconds: 0 });

  it.each(['first', 'after-info'] as const)('is encrypted with the handshake %s', async (handshake) => {
    const bus = await connects({ ca: server.cert, ...client, handshake });

    expect(bus.connection.info).toMatchObject({ tls_required: true });
    await bus.close();
  });

  it.each([
    ['a server whose certificate nobody trusted signed', { ca: stranger.cert, ...client }],
    ['a server by the authorities of this machine alone', { ...client }],
    ['with no certificate of its own, where one is asked for', { ca: server.cert }],
    ['with a certificate that the server does not know', { ca: server.cert, ...stranger }],
  ])('is refused: %s', async (_, tls) => {
    // When a server refuses a certificate after the greeting, the client waits until its timeout.
    for (const handshake of 'ca' in tls && tls.ca === server.cert ? (['first'] as const) : (['first', 'after-info'] as const))
      await expect(connects({ ...tls, handshake })).rejects.toThrow(/^(No connection to )?NATS at 127\.0\.0\.1:\d+/);
  });

  it('says how to fix an expired server certificate, or an authority that is not trusted', async () => {
    const said = (mend: string) => new RegExp(`^No connection to NATS at 127\\.0\\.0\\.1:\\d+: ${mend}$`);
    const old = selfSignedCertificate({ until: Date.now() - 60_000 });
    const outdated = createTlsServer({ key: old.key, cert: old.cert }).on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => outdated.listen(0, '127.0.0.1', resolve));
    const url = `tls://127.0.0.1:${(outdated.address() as AddressInfo).port}`;

    await expect(connects({ ca: old.cert }, url)).rejects.toThrow(said('its certificate has expired: renew it'));
    await expect(connects({ ca: stranger.cert, ...client })).rejects.toThrow(
      said('nobody who is trusted here signed its certificate: give its authority in NATS_CA'),
    );
    await new Promise((resolve) => outdated.close(resolve));
  });

  describe('when the server claims to have no TLS', () => {
    let pretender: Server;
    const sockets: Socket[] = [];
    let heard = '';
    beforeAll(async () => {
      const info = { server_id: 'x', version: '2.12.0', proto: 1, headers: true, max_payload: 1024, tls_required: false };
      pretender = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined).on('data', (data) => (heard += data.toString('latin1')));
        socket.write(`INFO ${JSON.stringify(info)}\r\n`);
      });
      await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
    });
    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => pretender.close(resolve));
    });

    it.each(['first', 'after-info'] as const)('sends no credentials with the handshake %s', async (handshake) => {
      const { port } = pretender.address() as AddressInfo;

      await expect(connects({ ca: server.cert, ...client, handshake }, `tls://127.0.0.1:${port}`)).rejects.toThrow(
        handshake === 'first' ? /^NATS at 127\.0\.0\.1:\d+ does not begin with TLS/ : /^NATS at 127\.0\.0\.1:\d+ cannot be reached/,
      );
      expect(heard).not.toContain('CONNECT');
      expect(heard).not.toContain(PASSWORD);
    });
  });
});

const UNTRUSTED = /: nobody who is trusted here signed its certificate: give its authority in DATABASE_CA$/;

describe('a database connection with or without TLS', () => {
  let admin: DataSource;
  let database: TestDatabase;
  let app: string;
  let folder: TemporaryFolder;
  const opened: DataSource[] = [];
  beforeAll(async () => {
    folder = temporaryFolder('tls-db');
    database = await testDatabase();
    app = database.app.split('?')[0]!; // by TCP: there is no TLS over the socket of the server
    admin = await openDatabase({ url: process.env['CODASE_TEST_POSTGRES_URL']!, name: 'test', pool: 1 });
  });
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.destroy()));
    for (const setting of ['ssl', 'ssl_cert_file', 'ssl_key_file']) await admin?.query(`alter system reset ${setting}`);
    await admin?.query('select pg_reload_conf()');
    await admin?.destroy();
    await database?.drop();
    folder?.remove();
  });

  const opens = async (url: string, more: object = {}) => {
    const db = await openDatabase({ url, name: 'test', pool: 1, connectSeconds: 0, ...more });
    opened.push(db);
    return db;
  };
  const isEncrypted = async (db: DataSource) =>
    (await one<{ ssl: boolean }>(db, sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`))!.ssl;

  it('takes the password from the configuration when the URL has none', async () => {
    const url = new URL(app);
    const { password } = url;
    url.password = '';

    const db = await opens(url.href, { password });

    expect(await many(db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await isEncrypted(db)).toBe(false);
  });

  it('uses the current password at each connect', async () => {
    const role = `${new URL(app).username}_rotating`;
    await admin.query(`create role "${role}" login password 'first'`);
    await admin.query(`grant "${new URL(app).username}" to "${role}"`);
    const url = new URL(app);
    url.username = role;
    let password = 'first';
    const db = await opens(url.href, { password: () => password, pool: 1 });
    const sessions = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;

    await admin.query(`alter role "${role}" password 'second'`);
    await admin.query(sessions);
    const answer = () => many(db, sql`select 1 as one`).catch((error: Error) => error);
    await comesTrue(async () => expect(await answer()).toMatchObject({ code: '28P01' }));
    password = 'second';

    expect(await many(db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await admin.query(sessions);
    await admin.query(`drop role "${role}"`);
  });

  it('is refused when sslmode demands TLS and the server has none', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await expect(opens(`${app}?sslmode=${mode}`, { ca: server.cert })).rejects.toThrow('The server does not support SSL connections');
  });

  it('is encrypted when the server certificate is trusted, and refused otherwise', async () => {
    await encrypts(admin);

    expect(await isEncrypted(await opens(`${app}?sslmode=verify-full`, { ca: server.cert }))).toBe(true);
    expect(await isEncrypted(await opens(app, { ca: server.cert }))).toBe(true);
    const authority = join(folder.path, 'authority.pem');
    writeFileSync(authority, server.cert);
    expect(await isEncrypted(await opens(`${app}?sslmode=verify-full&sslrootcert=${authority}`))).toBe(true);
    expect(await isEncrypted(await opens(`${app}?sslrootcert=${authority}`))).toBe(true);
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      await expect(opens(`${app}?sslmode=${mode}`)).rejects.toThrow(UNTRUSTED);
      await expect(opens(`${app}?sslmode=${mode}`, { ca: stranger.cert })).rejects.toThrow(UNTRUSTED);
    }
  });

  it('reports an expired certificate and how to fix it, in readiness and in the log', async () => {
    await encrypts(admin);
    const old = selfSignedCertificate({ until: Date.now() - 60_000 });
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: string, { error }: Facts = {}) => void lines.push((error as Error).message) };
    const db = await opens(`${app}?sslmode=verify-full`, { ca: () => `${server.cert}\n${old.cert}` });
    const check = databaseAnswers(db, log);
    expect(await check()).toBeNull();

    await encrypts(admin, old);
    const expired = /^No connection to Postgres at 127\.0\.0\.1:\d+: its certificate has expired: renew it$/;
    await comesTrue(async () => expect(opens(`${app}?sslmode=verify-full`, { ca: old.cert })).rejects.toThrow(expired));
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${new URL(app).username}'`);

    await comesTrue(async () => expect(await check()).toMatch(expired));
    expect(lines.at(-1)).toMatch(expired);
  });

  /** Turns TLS on in the server of all tests. A client that does not ask for TLS goes on without it. */
  async function encrypts(postgres: DataSource, certificate = server): Promise<void> {
    const [{ data_directory: data }] = (await postgres.query('show data_directory')) as [{ data_directory: string }];
    for (const [name, pem] of Object.entries({ 'test.crt': certificate.cert, 'test.key': certificate.key })) {
      // The server itself writes the file, because it must own the file and nobody else may read it.
      const lines = pem
        .trim()
        .split('\n')
        .map((line) => `('${line}')`);
      await postgres.query(`copy (select * from (values ${lines.join(', ')}) as line) to program 'umask 077; cat > "${data}/${name}"'`);
    }
    await postgres.query(`alter system set ssl_cert_file = '${data}/test.crt'`);
    await postgres.query(`alter system set ssl_key_file = '${data}/test.key'`);
    await postgres.query('alter system set ssl = on');
    await postgres.query('select pg_reload_conf()');
    await eventually(async () => ((await postgres.query('show ssl')) as [{ ssl: string }])[0].ssl === 'on' || undefined);
  }
});
