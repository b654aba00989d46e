import {
  accountClients,
  auditLog,
  CAPABILITIES,
  connections,
  contactData,
  customerMessages,
  documents,
  EXAMPLES,
  messages,
  OPERATOR,
  ownerRuns,
  personMessages,
  plugins,
  registry,
  runs,
  serviceClient,
  services,
  verifications,
  webhooks,
  type Endpoint,
  type Request,
} from '@codase/contracts';
import { World, type Backend, type Company, type Person } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { asksFor, envelope } from '../sharing/connections/connections-world.ts';
import { photoOf, png } from '../support/images.ts';
import { ORDER_FLOW } from '../services/flows/order-flow.ts';
import { GUARDED, KINDS, mayCall, sampleOf, type Kind } from './callers.ts';

/** The ids of what the first company has, by the path segment before each id. A new capability adds its own. */
interface Belongings {
  services: string;
  webhooks: string;
  connections: string;
  'company-connections': string;
  slots: string;
  clients: string;
  'contact-fields': string;
  documents: string;
  'connect-requests': string;
  delegates: string;
  delegations: string;
  flows: string;
  'flow-runs': string;
  runs: string;
  'answer-files': string;
  'source-files': string;
  'flow-links': string;
  images: string;
  photos: string;
  plugins: string;
  'recovery-copies': string;
  'oauth-apps': string;
  templates: string;
  'trusted-devices': string;
  versions: string;
}

/** Routes that concern only public data or the caller's own, whatever id is given: a key is public, a slug names the caller's own field. */
const OWN_OR_PUBLIC: readonly Endpoint[] = [
  registry.readPublicKey,
  auditLog.readKeyProof,
  registry.putContactField,
  registry.deleteContactField,
  contactData.putContactData,
  contactData.deleteContactData,
  verifications.requestVerification,
  verifications.listVerificationRequests,
];

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
const WITH_IDS = GUARDED.filter((contract) => contract.path.includes('{') && !OWN_OR_PUBLIC.includes(contract));
const LISTS = GUARDED.filter(({ path, method }) => !path.includes('{') && method === 'GET');
/** Routes whose query names a connection. They find no connection of another company. */
const OF_A_CONNECTION: readonly Endpoint[] = [personMessages.listMessages, customerMessages.listMessages];
/** Path segments before ids of things that no company has here. Their routes are tried with an id that does not exist. */
const NOBODYS = [
  'attestations',
  'builtin',
  'challenges',
  'contact-data',
  'customer',
  'enrolments',
  'sessions',
  'sign-ins',
  'trusted-browsers',
  'verification-requests',
];
/** Routes with bodies that name ids of another company. */
const IN_BODIES: readonly (readonly [Endpoint, (acmes: Belongings) => object])[] = [
  [messages.broadcastMessage, ({ connections: connection_id }) => ({ messages: [{ connection_id, body: SEALED }] })],
  ...[personMessages, customerMessages].flatMap(({ writeMessage, readMessages }): [Endpoint, (acmes: Belongings) => object][] => [
    [writeMessage, ({ connections: connection_id }) => ({ connection_id, body: SEALED })],
    [readMessages, ({ connections: connection_id }) => ({ connection_id, message_id: 'msg_1' })],
  ]),
  ...['connection_id', 'person_user_id', 'share_code'].map(
    (member) =>
      [
        documents.createDocument,
        (acmes: Belongings) => ({ name: 'Offer', payload_kind: 'json', value: SEALED, target: { [member]: targetsOf(acmes)[member] } }),
      ] as const,
  ),
];
/** Routes whose path names a flow, which is looked up first. The tests of runs try the ids in their bodies. */
const OF_A_FLOW: readonly Endpoint[] = [runs.startRun, ownerRuns.startOwnRun];
const targetsOf = ({ connections: connection_id }: Belongings): Record<string, string> => ({
  connection_id,
  person_user_id: 'usr_demo_ana',
  share_code: 'ANA',
});
const SEALED = (EXAMPLES['write_message']!.body as { body: string }).body;

describe('tenant isolation between two companies in one region @spec D1-1 @spec D1-5.8', () => {
  let world: World;
  let acme: Company;
  let acmes: Belongings;
  let strangers: Record<Kind, string>;
  /** The token of the data client of another service of the first company. */
  let sibling: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
    acmes = await belongingsOf(acme, world.shop, [world.person('ANA'), world.person('CHIARA')]);
    sibling = (await dataClientOf(acme, 'Sibling')).token;
    strangers = await tokensOf(
      await world.signsUp({ type: 'company', region: 'eu' }),
      await world.signsUp({ type: 'person', region: 'eu' }),
    );
  });
  afterAll(() => world?.close());

  const asStranger = (kind: Kind, contract: Endpoint, request: Request<Endpoint>) =>
    world.stranger.asks(contract, request, { at: world.regionUrl('eu'), token: strangers[kind] });

  it.each(named(WITH_IDS))('%s finds nothing by ids of another company', async (_, contract) => {
    const request = { ...(sampleOf(contract) as object), params: idsIn(contract) } as Request<Endpoint>;

    for (const kind of KINDS.filter((one) => mayCall(one, contract))) {
      const refused = await asStranger(kind, contract, request).then(
        () => undefined,
        (error: { status: number }) => error.status,
      );
      expect([403, 404]).toContain(refused);
    }
  });

  it.each(named(WITH_IDS.filter((contract) => mayCall('service', contract))))(
    '%s finds nothing by ids of another service of the same company',
    async (_, contract) => {
      const request = { ...(sampleOf(contract) as object), params: idsIn(contract) } as Request<Endpoint>;
      const reply = world.stranger.asks(contract, request, { at: world.regionUrl('eu'), token: sibling });
      await expect(reply).rejects.toMatchObject({ status: 404 });
    },
  );

  it.each(IN_BODIES.map(([contract, body]) => [contract.name, contract, body] as const))(
    '%s finds nothing by ids of others in its body',
    async (_, contract, body) => {
      const request = { body: body(acmes) } as Request<Endpoint>;
      const kinds = KINDS.filter((kind) => mayCall(kind, contract));
      const tokens = [...kinds.map((kind) => strangers[kind]), ...(kinds.includes('service') ? [sibling] : [])];
      for (const token of tokens) {
        const reply = world.stranger.asks(contract, request, { at: world.regionUrl('eu'), token });
        await expect(reply).rejects.toMatchObject({ key: 'company_data.connection_not_found', status: 404 });
      }
    },
  );

  it('every route whose body contains a connection or a customer is covered', () => {
    const NAMES = /"(connection_id|person_user_id|target)"/;
    const naming = GUARDED.filter(({ name }) => NAMES.test(JSON.stringify(EXAMPLES[name]?.body ?? {})));
    const tried = [...IN_BODIES.map(([contract]) => contract), ...OF_A_FLOW, ...OWN_OR_PUBLIC];
    expect(naming.filter((contract) => !tried.includes(contract))).toEqual([]);
  });

  it.each(named(OF_A_CONNECTION))('%s finds no connection of another company', async (_, contract) => {
    const request = { query: { connection_id: acmes.connections } } as Request<Endpoint>;
    for (const kind of KINDS.filter((one) => mayCall(one, contract)))
      await expect(asStranger(kind, contract, request)).rejects.toMatchObject({ key: 'company_data.connection_not_found' });
  });

  it.each(named(LISTS.filter((contract) => !OF_A_CONNECTION.includes(contract))))(
    '%s lists nothing of another company',
    async (_, contract) => {
      for (const kind of KINDS.filter((one) => mayCall(one, contract))) {
        const answer = JSON.stringify(await asStranger(kind, contract, sampleOf(contract)));
        for (const theirs of [...Object.values({ ...acmes, versions: acmes.flows }), acme.user_id, acme.email])
          expect(answer).not.toContain(theirs);
      }
    },
  );

  it('the objects of the first company are unchanged after all attempts', async () => {
    const { services: id, webhooks: webhookId, connections: connectionId, clients, 'contact-fields': slug, documents, flows } = acmes;

    expect(await acme.asks(services.readService, { params: { id } })).toMatchObject({ id, name: 'Shop' });
    expect(await acme.asks(webhooks.readWebhook, { params: { id, webhookId } })).toMatchObject({ id: webhookId, url: HOOK, enabled: true });
    expect((await acme.asks(accountClients.listAccountClients, { query: {} })).items.map(({ client_id }) => client_id)).toContain(clients);
    expect(await acme.flows.reads({ id: flows })).toMatchObject({ published_version: 1, draft: ORDER_FLOW });
    expect(await world.shop.flows.reads({ id: acmes.runs })).toMatchObject({ status: 'awaiting_customer', answers: [] });
    expect(await acme.delegates.lists()).toMatchObject([{ id: acmes.delegates, services: [{ service_id: id, key_read_at: null }] }]);
    expect(await acme.signInApps.reads(acmes['oauth-apps'])).toMatchObject({ redirect_uris: ['https://login.example/back'] });
    expect((await acme.asks(plugins.listPlugins, {})).items).toMatchObject([{ id: acmes.plugins, base_url: PLUGIN }]);
    expect(await acme.photos.lists()).toMatchObject([{ id: acmes.photos }]);
    expect(await acme.recovery.lists()).toMatchObject([{ id: acmes['recovery-copies'], kind: 'service_passphrase' }]);
    expect(await world.shop.documents.reads({ id: documents })).toMatchObject({ status: 'offering', name: 'Offer' });
    expect((await world.shop.asks(connections.readConnection, { params: { connectionId } })).values).toHaveProperty('scan');
    expect((await acme.asks(registry.listContactFields, { query: {} })).items).toContainEqual(
      expect.objectContaining({ slug, label: 'Our own' }),
    );
  });

  /**
   * The ids for a path: those of the first company. An id that directly follows another id names a part of it, and is that of the sample.
   */
  function idsIn(contract: Endpoint): Record<string, string> {
    const owned = [...contract.path.matchAll(/\/([^/{}]+)\/{(\w+)}/g)].map(([, owner, parameter]) => [parameter!, idBehind(owner!)]);
    return { ...(sampleOf(contract) as { params: Record<string, string> }).params, ...Object.fromEntries(owned) };
  }

  function idBehind(owner: string): string {
    const id = acmes[owner as keyof Belongings];
    if (id === undefined && !NOBODYS.includes(owner)) throw new Error(`give the first company one of its own for /${owner}/{…}`);
    return id ?? 'none';
  }

  /** Returns tokens of a second company that has everything a company can have, and of a person who is nobody's customer. */
  async function tokensOf(company: Company, person: { signsIn(): Promise<{ access_token: string }> }): Promise<Record<Kind, string>> {
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setLevel, {}, { user_id: company.user_id, level: 'business' });
    const { token } = await dataClientOf(company, 'Other');
    await company.recovery.setsKey(SERVICE_KEYS[3]);
    const robot = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities: [...CAPABILITIES] } });
    return {
      service: token,
      account: await world.mints({ client_id: robot.client_id, sub: company.user_id }),
      portal: (await company.signsIn()).access_token,
      person: (await person.signsIn()).access_token,
    };
  }

  /** Creates a service. Returns a token of its data client. */
  async function dataClientOf(company: Company, name: string): Promise<{ token: string }> {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const key = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
    const { id } = await company.asks(services.createService, { body: { name, admin_email: 'admin@other.example', ...key } });
    const { client_id } = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    return { token: await world.mints({ client_id, sub: client_id }) };
  }
});

const HOOK = 'https://hooks.acme.example/in';
const PLUGIN = 'https://plugins.acme.example/search';

async function belongingsOf(company: Company, shop: Backend, [person, requester]: readonly [Person, Person]): Promise<Belongings> {
  const service_id = shop.service_id!;
  const webhook = await company.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: HOOK } });
  const client = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities: ['service_management'] } });
  await company.asks(registry.putContactField, { params: { slug: 'acmes_own' }, body: { label: 'Our own', type: 'text' } });
  const {
    fields: [row],
  } = await asksFor(company, service_id, [{ slug: 'scan', label: 'A scan', type: 'document' }]);
  const connected = await person.connections.connects('ACME/SHOP', { scan: 'a scan' });
  const offer = await shop.documents.issues(person, { requires_acceptance: true });
  const { request_id } = await shop.invites(requester);
  const flow = await company.flows.publishes(service_id, ORDER_FLOW);
  await company.flows.uploads(flow, 'acmes_logo', envelope('image/png', 'a picture'));
  const run = await shop.flows.starts(flow.id, { target: { connection_id: connected.id } });
  const delegate = await company.delegates.adds(requester);
  await company.delegates.grants(delegate, service_id, 'the passphrase');
  const photo = await company.photos.adds(photoOf(png(20)));
  const plugin = await company.asks(plugins.addPlugin, { body: { base_url: PLUGIN } });
  await company.recovery.setsKey(SERVICE_KEYS[2]);
  const copy = await company.recovery.keeps('service_passphrase', service_id, 'a passphrase');
  const ids = {
    flows: flow.id,
    templates: 'acmes_logo',
    'trusted-devices': (await person.phone.registers('A phone')).device.id,
    versions: '1',
    'flow-runs': run.id,
    runs: run.id,
    'answer-files': 'file_1',
    'source-files': 'conn:customer:scan',
    'flow-links': flow.id,
    images: 'acmes_logo',
    'connect-requests': request_id,
    delegates: delegate.id,
    delegations: delegate.id,
    documents: offer.id,
    connections: connected.id,
    'company-connections': connected.id,
    slots: row!.service_field_id,
    photos: photo.id,
    plugins: plugin.id,
    'recovery-copies': copy.id,
    'oauth-apps': (await company.signInApps.creates()).id,
  };
  return { ...ids, services: service_id, webhooks: webhook.id, clients: client.client_id, 'contact-fields': 'acmes_own' };
}
