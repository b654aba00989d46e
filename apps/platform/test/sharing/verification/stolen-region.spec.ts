import { Refusal, verifications } from '@codase/contracts';
import { ATTESTATION_TYPE } from '@codase/crypto';
import { newSigningKey, signsJws, World, type OwnConnection, type Person } from '@codase/testing';
import { asksFor, readsConnection, type NewRow } from '../connections/connections-world.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const NAME: NewRow = { slug: 'name', label: 'Name', type: 'text' };
const TEXT = 'ana@lind.example';

describe('the stolen bus user of a region @gap D1-2.7', () => {
  let world: World;
  let ben: Person;
  let connection: OwnConnection;
  let verified: Record<string, unknown>;
  let attestation: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    ben = world.person('BEN');
    const ana = world.person('ANA');
    const idco = await world.registersProvider();
    await asksFor(world.acme, world.shop.service_id!, [MAIL, { ...NAME, verified: true }]);
    for (const person of [ana, ben]) await person.fields.edits('email', TEXT);
    connection = await ben.connections.connects('ACME/SHOP', { mail: { text: TEXT, from: 'email' } });
    await ana.connections.connects('ACME/SHOP', { mail: { text: TEXT, from: 'email' } });
    verified = await idco.verifies(ana, 'email', TEXT);
    const params = { verificationId: verified['verification_id'] as string };
    ({ attestation } = await world.shop.asks(verifications.readAttestation, { params }));
  });
  afterAll(() => world?.close());

  const send = async (name: string, request: object) => {
    const stolen = await world.busAs('platform-region-us');
    const answer = await stolen.connection.request(`codase.peer.v1.eu.${name}`, JSON.stringify(request), { timeout: 60_000 });
    return answer.json<object>();
  };
  const own = newSigningKey();
  const claims = () => ({
    ...verified,
    iss: 'idco',
    sub: ben.user_id,
    jti: verified['verification_id'],
    iat: Math.floor(world.now.getTime() / 1000),
    field_hash: 'a'.repeat(64),
  });
  const proof = { attested_key: 'first', field_salt: 'salt', field_type: 'email' };

  it.each<[string, () => object]>([
    ['without an attestation', () => verified],
    ['with an attestation of another person', () => ({ ...verified, ...proof, attestation })],
    ['with an attestation by a key of its own', () => ({ ...verified, ...proof, attestation: signsJws(own, ATTESTATION_TYPE, claims()) })],
    ['of a provider that nobody registered', () => ({ ...verified, ...proof, verified_provider: 'own', attestation })],
  ])('cannot make a value of its own user verified: %s', async (_, verification) => {
    const request = {
      user_id: ben.user_id,
      field: 'email',
      at: new Date(world.now.getTime() + 1000).toISOString(),
      verification: verification(),
    };

    expect(await send('verify', request)).toBeNull();

    const { values } = await readsConnection(world.shop, connection.id);
    expect(values['mail']).not.toHaveProperty('verified_hash');
  });

  it('cannot answer a field that takes verified values alone', async () => {
    const value = await ben.sealsFor(world.shop, 'Ben');
    const source = { field: 'first_name', type: 'text', verification: { ...verified, ...proof, attestation } };
    const values = [{ slug: 'name', value, live: true, source_private: true, source }];
    const at = new Date(world.now.getTime() + 2000).toISOString();

    const answer = await send('change', { user_id: ben.user_id, connection_id: connection.id, values, drop: [], decline: [], at });

    expect(Refusal.fromBody(answer)?.key).toBe('company_connections.values_invalid');
  });

  it('cannot sign a document with a name that nobody verified', async () => {
    const document = await world.shop.documents.issues(ben, { requires_signature: true });
    const names = { first_name: { ...verified, ...proof, attestation }, last_name: { ...verified, ...proof, attestation } };
    const signature = { method: 'email', signer_first_name: 'Ben', signer_last_name: 'Okafor', signer_name_verified: true };
    const act = { kind: 'sign', ...signature, names };

    const signed = await send('act_on_document', { user_id: ben.user_id, document_id: document.id, act });

    expect(signed).toMatchObject({ signatures: [{ signer_first_name: 'Ben', signer_name_verified: false }] });
  });
});
