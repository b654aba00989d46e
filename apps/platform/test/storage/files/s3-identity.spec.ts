import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { silentLog, type Log } from '@codase/runtime/telemetry';
import { collectTelemetry, comesTrue } from '@codase/testing';
import { storeAnswers } from '../../../src/storage/files/files.service.ts';
import { identityCredentials } from '../../../src/storage/files/s3-credentials.service.ts';
import type { S3ObjectStore } from '../../../src/storage/files/s3-object-store.service.ts';
import { IdentityServer } from './identity-server.ts';
import { S3Server } from './s3-server.ts';

const CONTENT = Buffer.from('ciphertext');
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const WEB_TOKEN = 'the-token-of-the-service-account';
const ROLE = 'arn:aws:iam::123456789012:role/codase-files';

/** Passes requests on to the store, which ignores session tokens, and refuses those that a test says have expired. */
class ExpiryGate {
  readonly expired = new Set<string>();
  /** The session tokens of the requests that came. */
  readonly tokens: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async open(target: string): Promise<ExpiryGate> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gate = new ExpiryGate(server, new URL(target));
    server.on('request', (incoming, outgoing) => void gate.pass(incoming, outgoing));
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const token = String(incoming.headers['x-amz-security-token']);
    this.tokens.push(token);
    const body = await buffer(incoming);
    if (this.expired.has(token)) {
      outgoing.writeHead(400, { 'content-type': 'application/xml' });
      return void outgoing.end(incoming.method === 'HEAD' ? undefined : '<Error><Code>ExpiredToken</Code></Error>');
    }
    const onward = request(new URL(incoming.url!, this.target), { method: incoming.method!, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    onward.end(body);
  }
}

describe('the S3 object store with a workload identity', () => {
  let server: S3Server;
  let folder: string;
  let identity: IdentityServer;
  let gate: ExpiryGate;
  let store: S3ObjectStore;
  beforeAll(async () => {
    server = await S3Server.open();
    folder = await mkdtemp(join(tmpdir(), 'codase-identity-'));
    await writeFile(join(folder, 'token'), WEB_TOKEN);
  });
  afterAll(async () => {
    await server?.close();
    if (folder) await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    identity = await IdentityServer.open(server.credentials);
    gate = await ExpiryGate.open(server.endpoint);
    store = server.storeAt({ endpoint: gate.url, credentials: identityCredentials() });
    for (const name of Object.keys(process.env).filter((each) => each.startsWith('AWS_'))) delete process.env[name];
    // Neither the developer's own configuration nor the metadata of the machine.
    Object.assign(process.env, {
      AWS_CONFIG_FILE: join(folder, 'none'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: 'us-east-1',
    });
  });
  afterEach(async () => {
    await store.close();
    await gate.close();
    await identity.close();
  });

  const hasWebIdentity = () =>
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_STS: identity.url,
      AWS_ROLE_ARN: ROLE,
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
    });
  const put = (key: string) => store.put(key, { bytes: CONTENT.length, sha256: SHA256, read: () => Readable.from([CONTENT]) });
  const logged: unknown[] = [];
  const log: Log = { ...silentLog, error: (message, facts) => void logged.push(message, inspect(facts, { depth: 9 })) };
  const finding = () => storeAnswers(store, log)();

  it('exchanges the token of a web identity once for many requests', async () => {
    hasWebIdentity();

    await put('w/one');
    expect(await store.has('w/one')).toBe(true);

    const [exchange, ...others] = identity.exchanges;
    expect(Object.fromEntries(exchange!)).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: ROLE,
      WebIdentityToken: WEB_TOKEN,
    });
    expect(others).toEqual([]);
    expect(gate.tokens).toEqual(['session-1', 'session-1']);
  });

  it('asks the endpoint of its container or pod, by the token in the file that the pod has', async () => {
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${identity.url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token'),
    });

    await put('c/one');

    expect(identity.authorizations).toEqual([WEB_TOKEN]);
    expect(gate.tokens).toEqual(['session-1']);
  });

  it('reads the variables of the AWS SDK', async () => {
    const { accessKeyId, secretAccessKey } = server.credentials;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: 'given' });

    await put('v/one');

    expect(gate.tokens).toEqual(['given']);
  });

  it('uses new credentials before the old ones expire, and no request waits for them', async () => {
    hasWebIdentity();
    identity.givesShortOnes();
    await store.has('r/one');
    identity.seconds = 3600;

    await store.has('r/one');
    await comesTrue(async () => {
      await store.has('r/one');
      expect(gate.tokens.at(-1)).toBe('session-2');
    });

    expect(gate.tokens.slice(0, 2)).toEqual(['session-1', 'session-1']);
    expect(identity.given).toBe(2);
  });

  it('repeats a request once with new credentials when the store refuses the old ones as expired', async () => {
    hasWebIdentity();
    await store.has('e/one');
    gate.expired.add('session-1');

    await put('e/one');
    expect(gate.tokens).toEqual(['session-1', 'session-1', 'session-2']);

    gate.expired.add('session-2');
    expect(await store.has('e/one')).toBe(true);
    expect((await buffer(Readable.from(await store.get('e/one')))).equals(CONTENT)).toBe(true);
    expect(identity.given).toBe(3);
  });

  it('fetches new credentials once for requests that are refused at the same time', async () => {
    hasWebIdentity();
    await store.has('s/one');
    gate.expired.add('session-1');

    await Promise.all(Array.from({ length: 8 }, (_, i) => put(`s/${i}`)));

    expect(identity.given).toBe(2);
  });

  it('gives up after one repetition, and says what to correct', async () => {
    hasWebIdentity();
    for (const i of [1, 2, 3]) gate.expired.add(`session-${i}`);

    expect(await finding()).toEqual({ note: expect.stringContaining('as expired: their source must give new ones') as string });
    expect(gate.tokens).toEqual(['session-1', 'session-2']);
  });

  it('says what is missing without credentials', async () => {
    expect(await finding()).toEqual({
      note: 'no credentials for the object store: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this process a workload identity',
    });
  });

  it('says which source of credentials fails, and logs neither its answer nor a credential', async () => {
    const { spans } = collectTelemetry();
    hasWebIdentity();
    identity.refusal = 'InvalidIdentityToken';
    expect(await finding()).toEqual({
      note: 'the token service refuses the identity of this process: check AWS_ROLE_ARN, and whom its role trusts',
    });

    identity.refusal = undefined;
    process.env['AWS_WEB_IDENTITY_TOKEN_FILE'] = join(folder, 'none');
    expect(await finding()).toEqual({ note: 'the file that AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read (ENOENT)' });

    process.env['AWS_WEB_IDENTITY_TOKEN_FILE'] = join(folder, 'token');
    process.env['AWS_ENDPOINT_URL_STS'] = 'http://127.0.0.1:1';
    expect(await finding()).toEqual({ note: 'the source of credentials for the object store cannot be reached (ECONNREFUSED)' });

    const traced = spans.getFinishedSpans().map(({ name, attributes, events }) => inspect([name, attributes, events], { depth: 9 }));
    for (const secret of [WEB_TOKEN, server.credentials.secretAccessKey, 'session-'])
      expect([...logged, ...traced].join()).not.toContain(secret);
  });
});
