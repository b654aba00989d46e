import {
  accountClients,
  CAPABILITIES,
  connections,
  contactData,
  OPERATOR,
  registry,
  serviceClient,
  services,
  webhooks,
  type Endpoint,
  type Request,
} from '@cds/contracts';
import { World, type Company, type Person } from '@cds/testing';
import { SERVICE_KEYS } from '@cds/testing/keys';
import { asksFor } from '../connections-world.ts';
import { GUARDED, KINDS, mayCall, sampleOf, type Kind } from './callers.ts';

/** What belongs to the first company, by the path segment that stands before its id; a new capability adds its own. */
interface Belongings {
  services: string;
  webhooks: string;
  connections: string;
  'company-connections': string;
  slots: string;
  clients: string;
  'contact-fields': string;
}

/** Whose own these always are, whatever id is given: a key is public, a slug names one's own field. */
const OWN_OR_PUBLIC: readonly Endpoint[] = [
  registry.readPublicKey,
  registry.putContactField,
  registry.deleteContactField,
  contactData.putContactData,
  contactData.deleteContactData,
];

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
const WITH_IDS = GUARDED.filter((contract) => contract.path.includes('{') && !OWN_OR_PUBLIC.includes(contract));
const LISTS = GUARDED.filter(({ path, method }) => !path.includes('{') && method === 'GET');

describe('two companies side by side in one region @spec D1-1 @spec D1-5.8', () => {
  let world: World;
  let acme: Company;
  let acmes: Belongings;
  let strangers: Record<Kind, string>;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
    acmes = await belongingsOf(acme, world.shop.service_id!, world.person('ANA'));
    strangers = await tokensOf(
      await world.signsUp({ type: 'company', region: 'eu' }),
      await world.signsUp({ type: 'person', region: 'eu' }),
    );
  });
  afterAll(() => world?.close());

  const asStranger = (kind: Kind, contract: Endpoint, request: Request<Endpoint>) =>
    world.stranger.asks(contract, request, { at: world.regionUrl('eu'), token: strangers[kind] });

  it.each(named(WITH_IDS))('%s knows nothing of what another company has', async (_, contract) => {
    const request = { ...(sampleOf(contract) as object), params: idsIn(contract) } as Request<Endpoint>;

    for (const kind of KINDS.filter((one) => mayCall(one, contract))) {
      const refused = await asStranger(kind, contract, request).then(
        () => undefined,
        (error: { status: number }) => error.status,
      );
      expect([403, 404]).toContain(refused);
    }
  });

  it.each(named(LISTS))('%s shows nothing of another company', async (_, contract) => {
    for (const kind of KINDS.filter((one) => mayCall(one, contract))) {
      const answer = JSON.stringify(await asStranger(kind, contract, sampleOf(contract)));
      for (const theirs of [...Object.values(acmes), acme.user_id, acme.email]) expect(answer).not.toContain(theirs);
    }
  });

  it('and after all that the first company has what it had', async () => {
    const { services: id, webhooks: webhookId, connections: connectionId, clients, 'contact-fields': slug } = acmes;

    expect(await acme.asks(services.readService, { params: { id } })).toMatchObject({ id, name: 'Shop' });
    expect(await acme.asks(webhooks.readWebhook, { params: { id, webhookId } })).toMatchObject({ id: webhookId, url: HOOK, enabled: true });
    expect((await acme.asks(accountClients.listAccountClients, { query: {} })).items.map(({ client_id }) => client_id)).toContain(clients);
    expect((await world.shop.asks(connections.readConnection, { params: { connectionId } })).values).toHaveProperty('scan');
    expect((await acme.asks(registry.listContactFields, { query: {} })).items).toContainEqual(
      expect.objectContaining({ slug, label: 'Our own' }),
    );
  });

  function idsIn({ path }: Endpoint): Record<string, string> {
    return Object.fromEntries(
      [...path.matchAll(/\/([^/{}]+)\/{(\w+)}/g)].map(([, owner, place]) => [place!, acmes[owner as keyof Belongings] ?? 'none']),
    );
  }

  /** A second company with everything a company can have, and a person who is nobody's customer. */
  async function tokensOf(company: Company, person: { signsIn(): Promise<{ access_token: string }> }): Promise<Record<Kind, string>> {
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setLevel, {}, { user_id: company.user_id, level: 'business' });
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const service = await company.asks(services.createService, {
      body: {
        name: 'Other',
        admin_email: 'admin@other.example',
        public_key,
        encrypted_private_key: { ...encrypted_private_key, iter: 100_000 },
      },
    });
    const data = await company.asks(serviceClient.createServiceClient, { params: { id: service.id }, body: {} });
    const robot = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities: [...CAPABILITIES] } });
    return {
      service: await world.mints({ client_id: data.client_id, sub: data.client_id }),
      account: await world.mints({ client_id: robot.client_id, sub: company.user_id }),
      portal: (await company.signsIn()).access_token,
      person: (await person.signsIn()).access_token,
    };
  }
});

const HOOK = 'https://hooks.acme.example/in';

async function belongingsOf(company: Company, service_id: string, person: Person): Promise<Belongings> {
  const webhook = await company.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: HOOK } });
  const client = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities: ['service_management'] } });
  await company.asks(registry.putContactField, { params: { slug: 'acmes_own' }, body: { label: 'Our own', type: 'text' } });
  const {
    fields: [row],
  } = await asksFor(company, service_id, [{ slug: 'scan', label: 'A scan', type: 'document' }]);
  const connected = await person.connections.connects('ACME/SHOP', { scan: 'a scan' });
  const ids = { connections: connected.id, 'company-connections': connected.id, slots: row!.service_field_id };
  return { ...ids, services: service_id, webhooks: webhook.id, clients: client.client_id, 'contact-fields': 'acmes_own' };
}
