import { accountClients, serviceClient, services, tokens, webhooks } from '@codase/contracts';
import { everyRow, Marks, BusRecorder, World, type Company } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { portal, refresh, signIn } from '../../support/oauth-visitor.ts';

/** Secrets made for this test, so that finding one anywhere is no accident. */
const PASSWORD = 'the-marked-password-4711';
const HOOK_TOKEN = 'the-marked-hook-token-4711';

describe('a secret of a user or a client @spec D1-5.9', () => {
  let world: World;
  let company: Company;
  let heard: BusRecorder;
  const secrets = new Marks({ password: PASSWORD, 'token of a webhook': HOOK_TOKEN });
  beforeAll(async () => {
    world = await World.open({ processes: 'many', traces: true, units: ['front-door', 'region-eu'] });
    heard = await BusRecorder.begin(...(await world.observers('platform')));
    await lives();
  });
  afterAll(() => world?.close());

  it.each(['front-door', 'region-eu'] as const)('is not in the log of the %s', (unit) => {
    expect(world.logOf(unit)).toContain('ready');
    expect(secrets.foundIn(world.logOf(unit))).toEqual([]);
  });

  it('is in no span', () => {
    expect(world.traces!.all.length).toBeGreaterThan(20);
    expect(secrets.foundIn(JSON.stringify(world.traces!.all))).toEqual([]);
  });

  it('never travels on the bus', () => {
    expect(heard.subjects.length).toBeGreaterThan(5);
    expect(secrets.foundIn(heard.text())).toEqual([]);
  });

  it.each(['front_door', 'region_eu'] as const)('is in no row of the database %s', async (name) => {
    const rows = await everyRow(world.databaseUrl(name));

    expect(rows).toContain(company.user_id);
    expect(secrets.foundIn(rows)).toEqual([]);
  });

  /** Does everything that handles a secret, and some calls that fail. */
  async function lives(): Promise<void> {
    company = await world.signsUp({
      type: 'company',
      region: 'eu',
      level: 'business',
      email: 'marked@company.example',
      password: PASSWORD,
    });
    const issued = await signIn(portal(world), company, world.stranger);
    const next = await world.stranger.asks(tokens.issueToken, refresh(portal(world), issued.refresh_token!));
    for (const [name, token] of Object.entries({
      access: issued.access_token,
      refresh: issued.refresh_token!,
      'next refresh': next.refresh_token!,
    }))
      secrets.add(`${name} token`, token);
    await world.stranger.asks(tokens.issueToken, refresh(portal(world), issued.refresh_token!)).catch(() => undefined);

    const { public_key, encrypted_private_key, passphrase } = SERVICE_KEYS[2];
    const service = await company.asks(services.createService, {
      body: { name: 'Shop', admin_email: 'a@b.example', public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 } },
    });
    const client = await company.asks(serviceClient.createServiceClient, { params: { id: service.id }, body: {} });
    const robot = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities: [] } });
    const fresh = await company.asks(accountClients.regenerateAccountSecret, { params: { id: robot.client_id } });
    const hook = await company.asks(webhooks.createWebhook, { params: { id: service.id }, body: { url: 'https://hooks.example/in' } });
    await company.asks(webhooks.createWebhook, {
      params: { id: service.id },
      body: { url: 'https://hooks.example/in', auth_type: 'bearer', auth_token: HOOK_TOKEN },
    });
    const made = {
      passphrase,
      'client secret': client.client_secret,
      'robot secret': robot.client_secret,
      'new secret': fresh.client_secret,
      'HMAC secret': hook.hmac_secret_once!,
    };
    for (const [name, secret] of Object.entries(made)) secrets.add(name, secret);
    await world.stranger
      .asks(tokens.issueToken, {
        body: { grant_type: 'client_credentials', client_id: robot.client_id, client_secret: `${fresh.client_secret}x` },
      })
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1500)); // spans leave in batches
  }
});
