import {
  AUDIT_PAGE,
  companyData,
  contactData,
  OPERATOR,
  serviceClient,
  services,
  SIGNATURE_HEADER,
  TIMED_SIGNATURES_HEADER,
  tokens,
  webhooks,
  type AuditEntry,
} from '@codase/contracts';
import { isWebhookSignature, webhookSignedAt } from '@codase/crypto';
import { many, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import { comesTrue, eventually, WebhookReceiver, World, type Backend, type Delivery } from '@codase/testing';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { COMMANDS } from '../src/operator/commands.ts';
import type { Platform } from '../src/operator/platform.ts';
import { Balancer } from './balancer.ts';
import { Load } from './load.ts';

const POLL = { KEYS_POLL_SECONDS: '0.1' };
const REPLICAS = { 'front-door': 2, eu: 2, us: 1, delivery: 1, forwarder: 1 };
const ROTATIONS = [
  ['rotate-signing-key', 'front-door'],
  ['rotate-signing-key', 'eu'],
  ['rotate-signing-key', 'us'],
  ['rotate-pepper'],
  ['rotate-stored-secrets-key', 'eu'],
  ['rotate-stored-secrets-key', 'us'],
  ['rotate-stored-secrets-key', 'front-door'],
  ['rotate-webhook-key', 'eu', '--overlap-hours', '1'],
  ['rotate-id-token-key'],
] as const;
const HOOK_TOKEN = 'a-token-of-the-hook';
const [OLD_HMAC, NEW_HMAC] = ['the-old-hmac-secret', 'the-new-hmac-secret'];

describe('rotation of every key under load', () => {
  let world: World;
  let receiver: WebhookReceiver;
  const balancers: Balancer[] = [];
  const load = new Load();
  /** The key file of the region's second replica: a copy of the signing keys, which is updated late. */
  let copy: { path: string; arrives: boolean };
  let copying: NodeJS.Timeout;
  beforeAll(async () => {
    world = await World.open({ units: [], secretFiles: true });
    receiver = await WebhookReceiver.open();
    await startsTwice('front-door', world.frontDoorUrl);
    copy = { path: `${world.keyFiles.signing('eu')}.copy`, arrives: false };
    copyFileSync(world.keyFiles.signing('eu'), copy.path);
    copying = setInterval(() => copy.arrives && copyFileSync(world.keyFiles.signing('eu'), copy.path), 50);
    await startsTwice('region-eu', world.regionUrl('eu'), { TOKEN_SIGNING_KEY_FILE: copy.path });
    await world.starts('region-us', POLL);
    await world.starts('delivery', POLL);
    await world.starts('forwarder', POLL);
  });
  afterAll(async () => {
    await load.ends();
    clearInterval(copying);
    await Promise.all(balancers.map((balancer) => balancer.close()));
    await receiver?.close();
    await world?.close();
  });

  /** Starts two replicas behind the address that callers know. */
  async function startsTwice(unit: 'front-door' | 'region-eu', url: string, env: Record<string, string> = {}): Promise<void> {
    const ports = [await freePort(), await freePort()] as const;
    await world.starts(unit, { ...POLL, PORT: String(ports[0]) });
    await world.starts(unit, { ...POLL, ...env, PORT: String(ports[1]), OPS_PORT: '0' });
    balancers.push(await Balancer.open(Number(new URL(url).port), ports));
  }

  /** Gets a token at the front door or at the home region, and makes a call with it. */
  const works = (backend: Backend, at: string) => async () => {
    const { client_id, client_secret } = backend;
    const body = { grant_type: 'client_credentials' as const, client_id, client_secret };
    const { access_token } = await backend.asks(tokens.issueToken, { body }, { at });
    await (backend.service_id
      ? backend.asks(companyData.whoami, {}, { token: access_token })
      : backend.asks(services.listServices, { query: {} }, { token: access_token }));
  };

  /** Makes calls with a token that it keeps for most of its hour. */
  function keepsToken(backend: Backend) {
    let kept: { token: string; since: number } | undefined;
    return async () => {
      if (!kept || world.now.getTime() - kept.since > 40 * 60_000)
        kept = { token: (await backend.getsToken()).access_token, since: world.now.getTime() };
      await backend.asks(companyData.whoami, {}, { token: kept.token });
    };
  }

  async function hooks(): Promise<{ bearer: string; hmac: string }> {
    const params = { id: world.shop.service_id! };
    const creates = async (body: object) =>
      (await world.acme.asks(webhooks.createWebhook, { params, body: { url: receiver.url, ...body } as never })).id;
    return {
      bearer: await creates({ auth_type: 'bearer', auth_token: HOOK_TOKEN }),
      hmac: await creates({ hmac_secret: OLD_HMAC }),
    };
  }

  /** Whether a receiver can prove the delivery, with the bearer token or with the old HMAC secret. */
  async function isGenuine({ headers, body }: Delivery): Promise<boolean> {
    if (headers.authorization !== undefined) return headers.authorization === `Bearer ${HOOK_TOKEN}`;
    const timed = headers[TIMED_SIGNATURES_HEADER.toLowerCase()] as string;
    return (await webhookSignedAt(OLD_HMAC, body, timed)) !== undefined;
  }

  async function edits(): Promise<void> {
    const ana = world.person('ANA');
    await ana.signsIn();
    await ana.fields.edits('email', `ana-${load.calls.get('edits') ?? 0}@lind.example`);
  }

  const pathOf = (name: string, base = '') =>
    name === 'rotate-pepper'
      ? world.keyFiles.pepper
      : name === 'rotate-id-token-key'
        ? world.keyFiles.idTokens
        : name === 'rotate-signing-key'
          ? world.keyFiles.signing(base)
          : name === 'rotate-webhook-key'
            ? world.keyFiles.webhookSigning
            : world.keyFiles.storedSecrets(base);
  /** The path beside which the progress is noted: the keys of all regions are in one file. */
  const turnOf = (name: string, base = '') => (name === 'rotate-webhook-key' ? `${pathOf(name)}.${base}` : pathOf(name, base));
  const progressOf = (path: string) =>
    existsSync(`${path}.rotation`) ? (JSON.parse(readFileSync(`${path}.rotation`, 'utf8')) as { first_since?: string }) : undefined;
  const firstLine = (path: string) => readFileSync(path, 'utf8').trim().split('\n', 2).join();
  const jwks = async () => (await world.stranger.asks(tokens.jwks, {})).keys.map(({ kid }) => kid);

  /** Moves the clock by more than an hour, in steps so short that the token of an honest caller stays valid. */
  async function timePasses(): Promise<void> {
    const paths = ROTATIONS.map(([name, base]) => turnOf(name, base));
    await eventually(async () => paths.every((path) => progressOf(path)?.first_since) || undefined);
    for (let nth = 0; nth < 3; nth++) {
      await load.between(() => world.passes({ minutes: 25 }));
      await load.rounds(2);
    }
  }

  /** Checks that a replica which has not read the new key holds the rotation up, and then lets the copy arrive. */
  async function copyArrivesLate(): Promise<void> {
    const path = world.keyFiles.signing('eu');
    const before = firstLine(path);
    await eventually(async () => progressOf(path));
    await load.rounds(3);
    expect(firstLine(path)).toBe(before);
    copy.arrives = true;
  }

  it('refuses no valid call, and leaves only the new keys in use', async () => {
    const oldTexts = [...ROTATIONS].flatMap(([name, base]) => readFileSync(pathOf(name, base), 'utf8').trim());
    const forger = { client_id: world.shop.client_id, sub: world.shop.company_user_id };
    const asksWithOldKey = async (base: 'front-door' | 'eu') =>
      world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token: await world.mints(forger, base) });
    for (const base of ['front-door', 'eu'] as const) await asksWithOldKey(base);
    const oldKids = await jwks();
    const { bearer, hmac } = await hooks();
    await world.acme.services.publishesRequest(world.shop.service_id!, [{ slug: 'mail', label: 'E-mail', type: 'email' }]);
    const ana = world.person('ANA');
    await ana.fields.edits('email', 'ana@lind.example');
    await ana.connections.connects('ACME/SHOP', { mail: { text: 'ana@lind.example', from: 'email' } });
    const chiara = world.person('CHIARA');
    await chiara.secondFactor.switchesOn(() => world.now);
    receiver.answer({ status: 200 });

    const params = { id: world.shop.service_id! };
    const { client_secret } = await world.acme.asks(serviceClient.rotateServiceSecret, { params, body: { keep_old_hours: 24 } });
    const replaced = world.backendOf(world.acme, { client_id: world.shop.client_id, client_secret, service_id: world.shop.service_id! });
    load.runs('old secret', works(world.shop, world.frontDoorUrl));
    load.runs('new secret at home', works(replaced, world.regionUrl('eu')));
    load.runs('account client', works(world.automation, world.regionUrl('eu')));
    load.runs('other region', works(world.boltShop, world.regionUrl('us')));
    load.runs('account client there', works(world.boltAutomation, world.frontDoorUrl));
    load.runs('kept token', keepsToken(world.boltShop));
    load.runs('password', async () => {
      const ben = world.person('BEN');
      await ben.signsIn();
      await ben.asks(contactData.listContactData, {});
    });
    load.runs('edits', edits);
    load.runs('test delivery', async () => {
      await world.automation.getsToken();
      // While the webhook is sealed anew, the answer is to test it again.
      const reason = await eventually(async () => {
        const test = await world.automation.asks(webhooks.testWebhook, { params: { ...params, webhookId: bearer } });
        if (test.delivered) return 'delivered';
        return test.reason?.endsWith('test it again') ? undefined : test.reason;
      });
      if (reason !== 'delivered') throw new Error(`not delivered: ${reason}`);
    });
    await load.rounds(1);

    const said: string[] = [];
    const operator: Platform = {
      bus: await world.operator('platform'),
      regions: ['eu', 'us'],
      keyFiles: world.keyFiles,
      replicas: REPLICAS,
      now: () => world.now,
      say: (line) => void said.push(line),
      polling: { answersMs: 1000, everyMs: 100 },
    };
    const changesHook = () =>
      world.acme.asks(webhooks.changeWebhook, {
        params: { ...params, webhookId: hmac },
        body: { url: receiver.url, hmac_secret: NEW_HMAC },
      });
    const [outcomes] = await Promise.all([
      Promise.all(ROTATIONS.map(([name, ...words]) => COMMANDS[name]!.read([...words])(operator))),
      copyArrivesLate(),
      changesHook(),
      timePasses(),
    ]);
    await load.rounds(3);
    await load.ends();

    expect(load.refused).toEqual([]);
    for (const calls of load.calls.values()) expect(calls).toBeGreaterThan(10);
    for (const { served } of balancers) expect(Math.min(...served)).toBeGreaterThan(20);
    const deliveries = await receiver.received(2 * load.calls.get('edits')!);
    expect(await Promise.all(deliveries.map(isGenuine))).not.toContain(false);
    expect(await isWebhookSignature(NEW_HMAC, ...signed(deliveries))).toBe(true);

    const newIds = outcomes.map(({ result }) => (result as { new_id: string }).new_id);
    expect((await jwks()).toSorted()).toEqual(newIds.slice(0, 3).toSorted());
    expect(newIds).not.toEqual(expect.arrayContaining(oldKids));
    for (const base of ['front-door', 'eu'] as const)
      await expect(asksWithOldKey(base)).rejects.toMatchObject({ key: 'auth.token_invalid' });
    expect((await world.stranger.asks(tokens.openidJwks, {})).keys.map(({ kid }) => kid)).toEqual([newIds[8]]);
    await sealedAndHashedAnew({ pepper: newIds[3]!, eu: newIds[4]!, factors: newIds[6]! });
    await chiara.signsIn();
    await chiara.secondFactor.switchesOff();
    await isAudited(newIds);
    for (const text of oldTexts) for (const [name, base] of ROTATIONS) expect(readFileSync(pathOf(name, base), 'utf8')).not.toContain(text);
    expect(ROTATIONS.filter(([name, base]) => progressOf(turnOf(name, base)))).toEqual([]);
    expect(said.filter((line) => /PRIVATE|[A-Za-z0-9+/]{43}=/.test(line))).toEqual([]);

    await world.acme.signsIn();
    await world.acme.asks(serviceClient.endOldServiceSecret, { params });
    await comesTrue(() => expect(works(world.shop, world.frontDoorUrl)()).rejects.toMatchObject({ key: 'oauth.invalid_client' }));
    await comesTrue(works(replaced, world.frontDoorUrl));
  });

  /** Body and signature of the last signed delivery. */
  function signed(deliveries: readonly Delivery[]): [Uint8Array, string] {
    const { headers, body } = deliveries.findLast((one) => one.headers[SIGNATURE_HEADER.toLowerCase()] !== undefined)!;
    return [body, headers[SIGNATURE_HEADER.toLowerCase()] as string];
  }

  async function sealedAndHashedAnew({ pepper, eu, factors }: { pepper: string; eu: string; factors: string }): Promise<void> {
    const [region, frontDoor] = await Promise.all((['region_eu', 'front_door'] as const).map((name) => world.opensDatabase(name)));
    try {
      const keysOf = async (db: typeof region, query: ReturnType<typeof sql>) =>
        (await many<{ id: string }>(db!, query)).map(({ id }) => id);
      expect(await keysOf(region, sql`select distinct split_part(sealed_secrets, ':', 1) as id from webhook`)).toEqual([eu]);
      const hashes = sql`
        select distinct split_part(hash, ':', 1) as id from client, unnest(array[secret_hash, old_secret_hash]) as hash
         where hash is not null`;
      expect(await keysOf(frontDoor, hashes)).toEqual([pepper]);
      const sealed = sql`select split_part(sealed_secrets, ':', 1) as id from second_factor`;
      expect(await keysOf(frontDoor, sealed)).toEqual([factors]);
    } finally {
      await Promise.all([region!.destroy(), frontDoor!.destroy()]);
    }
  }

  /** Checks that the audit has a row for each step of each rotation, with the id of its key. */
  async function isAudited(newIds: readonly string[]): Promise<void> {
    const operator = await world.operator('platform');
    const rows: AuditEntry[] = [];
    for (let after: string | undefined, isMore = true; isMore;) {
      const { items, cursor } = await operator.request(OPERATOR.readAudit, {}, after === undefined ? {} : { after });
      rows.push(...items.filter(({ act }) => act === 'key.rotated'));
      isMore = items.length === AUDIT_PAGE;
      after = cursor ?? undefined;
    }
    for (const id of newIds)
      expect(rows.filter(({ object }) => object === id).map(({ details }) => details['reason'])).toEqual(['added', 'first']);
    expect(rows.filter(({ details }) => details['reason'] === 'removed')).toHaveLength(ROTATIONS.length);
  }
});
