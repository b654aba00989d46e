import {
  ACCOUNT_BASELINE,
  accountClients,
  CAPABILITIES,
  CAPABILITY_PATTERNS,
  ENDPOINTS,
  FRONT_DOOR,
  isAllowed,
  NEVER_GRANTABLE,
  OPERATOR,
  SERVICE_PATTERNS,
  type Endpoint,
} from '@codase/contracts';
import { ProjectionWriter, type Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import { request } from 'node:http';
import type { DataSource } from 'typeorm';
import { CLIENTS, ClientsStore } from '../../../src/access/clients/index.ts';
import { frontDoorDatabase } from './account-clients-database.ts';

const FORBIDDEN = '403 auth.client_endpoint_forbidden';
const READ_SERVICES = { method: 'GET', path: '/api/services' } as const;
const ROUTES = ENDPOINTS.filter(({ at, callers }) => at.includes('region') && !callers.includes('anyone'));

describe('the whitelist @spec D1-5.7 @spec D1-5.8', () => {
  let world: World;
  let operator: Bus;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    operator = await world.operator('platform');
    db = await frontDoorDatabase(world);
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  it('allows a service client its patterns and nothing else', async () => {
    const token = await world.mints({ client_id: world.shop.client_id, sub: world.shop.client_id });

    expect(await forbiddenTo(token)).toEqual(expected('service', SERVICE_PATTERNS));
  });

  it.each([[[]], ...CAPABILITIES.map((capability) => [[capability]])])(
    'allows an account client with %j the baseline and its whole group',
    async (capabilities) => {
      const patterns = [...ACCOUNT_BASELINE, ...capabilities.flatMap((capability) => CAPABILITY_PATTERNS[capability])];
      const { token } = await accountClient(capabilities);

      expect(await forbiddenTo(token)).toEqual(expected('account', patterns));
    },
  );

  it("never allows an account client what belongs only to the portal, even if the client's rows do", async () => {
    const { client_id, token } = await accountClient([]);
    await sets(client_id, ['*']);
    await settles(async () => (await answerTo(READ_SERVICES, token)) !== FORBIDDEN);

    const forbidden = await forbiddenTo(token);

    const portalOnly = ROUTES.filter(({ path }) => isAllowed(NEVER_GRANTABLE, path)).map(({ name }) => name);
    expect(portalOnly.length).toBeGreaterThanOrEqual(NEVER_GRANTABLE.length);
    expect(forbidden).toEqual(expect.arrayContaining(portalOnly));
    expect(forbidden).not.toContain('read_service');
  });

  it.each([
    '/api/%73ervices',
    '/api//services',
    '/api/company-data/../services',
    '/api/company-data/%2e%2e/services',
    '/API/services',
    '/api/services/',
    '/api/services?x=/api/company-data/whoami',
    'http://elsewhere.example/api/services',
    '/api/company-data/..%2fservices',
    '/api\\services',
  ])('matches a path as the router does, so a service client gets nothing at %s', async (path) => {
    const token = await world.mints({ client_id: world.shop.client_id, sub: world.shop.client_id });

    expect([400, 403, 404]).toContain(await rawStatus(path, token));
  });

  it('is stored per client, so a pattern that is newer than the client is refused until it is backfilled @spec D1-9', async () => {
    await operator.request(OPERATOR.backfillPatterns, {}, {});
    const token = await dataClientWithout('/api/service-2fa/*');
    const raises = () => answerTo({ method: 'POST', path: '/api/service-2fa/challenges' }, token);
    expect(await raises()).toBe(FORBIDDEN);

    expect(await operator.request(OPERATOR.backfillPatterns, {}, {})).toEqual({ clients: 1, patterns: 1 });

    await settles(async () => (await raises()) !== FORBIDDEN);
    expect(await operator.request(OPERATOR.backfillPatterns, {}, {})).toEqual({ clients: 0, patterns: 0 });
  });

  it("follows from an account client's groups again after a backfill", async () => {
    const { client_id, token } = await accountClient(['delegate_management']);
    await sets(client_id, ['*']);
    await settles(async () => (await answerTo(READ_SERVICES, token)) !== FORBIDDEN);

    const changed = await operator.request(OPERATOR.backfillPatterns, {}, {});

    expect(changed.clients).toBeGreaterThanOrEqual(1);
    await settles(async () => (await answerTo(READ_SERVICES, token)) === FORBIDDEN);
    expect(await answerTo({ method: 'GET', path: '/api/delegates' }, token)).not.toBe(FORBIDDEN);
  });

  it('keeps the additional patterns of a service client in a backfill', async () => {
    const token = await dataClientWithout('/api/keys/*', ['/api/account']);

    await operator.request(OPERATOR.backfillPatterns, {}, {});

    const rows = await many<{ pattern: string }>(db, sql`select pattern from client_pattern where client_id = ${'svc_without_keys'}`);
    expect(rows.map(({ pattern }) => pattern).sort()).toEqual(['/api/account', ...SERVICE_PATTERNS].sort());
    await settles(async () => (await answerTo({ method: 'GET', path: '/api/keys/{shareCode}' }, token)) !== FORBIDDEN);
  });

  /** The routes a kind of client is refused: those no pattern covers, and those that are not for its kind at all. */
  const expected = (kind: 'service' | 'account', patterns: readonly string[]) =>
    ROUTES.filter(({ path, callers }) => !isAllowed(patterns, path) || !callers.includes(kind)).map(({ name }) => name);

  async function forbiddenTo(token: string): Promise<string[]> {
    const refused: string[] = [];
    for (const route of ROUTES) if ((await answerTo(route, token)) === FORBIDDEN) refused.push(route.name);
    return refused;
  }

  /** Status and key of a call with made-up ids and no body. A call that passes the whitelist fails later, in another way. */
  async function answerTo({ method, path }: Pick<Endpoint, 'method' | 'path'>, token: string): Promise<string> {
    const answer = await fetch(`${world.regionUrl('eu')}${path.replace(/{\w+}/g, 'MADE-UP')}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    const { error_key = '' } = (await answer.json().catch(() => ({}))) as { error_key?: string };
    expect(answer.status).not.toBe(401);
    return `${answer.status} ${error_key}`.trim();
  }

  /** Sends the path byte for byte: other HTTP clients normalise a path before they send it. */
  const rawStatus = (path: string, token: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(world.regionUrl('eu'));
      request({ hostname, port, path, headers: { authorization: `Bearer ${token}` } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  async function accountClient(capabilities: (typeof CAPABILITIES)[number][]) {
    const { client_id } = await world.acme.asks(accountClients.createAccountClient, { body: { name: 'Walker', capabilities } });
    return { client_id, token: await world.mints({ client_id, sub: world.acme.user_id }) };
  }

  /** A data client as it would have been registered before a pattern existed. */
  async function dataClientWithout(pattern: string, more: string[] = []): Promise<string> {
    const client_id = `svc_without_${/\w+(?=\/\*$)/.exec(pattern)![0]}`;
    await operator.request(
      FRONT_DOOR.registerClient,
      { region: 'eu' },
      {
        client_id,
        kind: 'service',
        company_user_id: world.acme.user_id,
        service_id: `ser_${client_id}`,
        name: 'old',
        purpose: null,
        capabilities: [],
        redirect_uri: null,
        secret_digest: 'x',
      },
    );
    await sets(client_id, [...more, ...SERVICE_PATTERNS.filter((known) => known !== pattern)]);
    const token = await world.mints({ client_id, sub: client_id });
    const refused = ROUTES.find(({ path, callers }) => callers.includes('service') && isAllowed([pattern], path))!;
    await settles(async () => (await answerTo(refused, token)) === FORBIDDEN);
    return token;
  }

  /** Writes the rows of a client directly, past every rule, and publishes them to the regions, which follow a moment later. */
  async function sets(client_id: string, patterns: string[]): Promise<void> {
    const store = new ClientsStore(db);
    await store.setPatterns(client_id, patterns, db);
    await (await ProjectionWriter.open(operator, CLIENTS)).put(client_id, (await store.find(client_id))!);
  }

  const settles = (holds: () => Promise<boolean>) => eventually(async () => (await holds()) || undefined);
});
