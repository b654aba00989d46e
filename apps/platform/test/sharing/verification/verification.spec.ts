import { contactData, OPERATOR, verifications } from '@codase/contracts';
import { ATTESTATION_TYPE, isAttested, verifyAttestation } from '@codase/crypto';
import { ProjectionWriter } from '@codase/runtime/bus';
import { execute, one, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import {
  comesTrue,
  newSigningKey,
  publicKeyOf,
  World,
  type Backend,
  type OwnConnection,
  type Person,
  type VerificationProvider,
} from '@codase/testing';
import { PROVIDERS } from '../../../src/services/verification-providers/provider-rows.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from '../connections/connections-world.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const NAME: NewRow = { slug: 'name', label: 'Name', type: 'text' };
const TEXT = 'ana@lind.example';

describe('verification of a value by a provider @spec D1-2.7 @gap D1-2.7', () => {
  let world: World;
  let shop: Backend;
  let ana: Person;
  let ben: Person;
  let idco: VerificationProvider;
  let other: VerificationProvider;
  const connected = new Map<Person, OwnConnection>();
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    ({ shop } = world);
    [ana, ben] = [world.person('ANA'), world.person('BEN')];
    [idco, other] = [
      await world.registersProvider('idco'),
      await world.registersProvider('passports', { field_types: ['legal_document'] }),
    ];
    await asksFor(world.acme, shop.service_id!, [MAIL, NAME]);
    for (const person of [ana, ben]) {
      await person.fields.edits('email', TEXT);
      connected.set(person, await person.connections.connects('ACME/SHOP', { mail: { text: TEXT, from: 'email' } }));
    }
    await hears(shop);
  });
  afterAll(() => world?.close());

  const operator = () => world.operator('platform');
  const shown = async (person: Person, slug = 'mail') => (await readsConnection(shop, connected.get(person)!.id)).values[slug]!;
  const unverified = async (person: Person) => {
    await comesTrue(async () => expect(await shown(person)).not.toHaveProperty('verified_hash'));
    await hears(shop);
  };
  /** Lets hours pass. Then everybody signs in again, since tokens live for one. */
  const pass = async (hours: number) => {
    await world.passes({ hours });
    for (const holder of [ana, ben, shop]) await holder.getsToken();
  };
  const providers = async () => (await world.stranger.asks(verifications.listVerificationProviders, {})).items;
  const notSigned = refused('verification.signature_refused', 403);
  const notFound = refused('verification.request_not_found', 404);

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('is made once across replicas', async () => {
    const ports = { port: await freePort(), opsPort: await freePort() };
    const replica = await world.startsReplica('region-eu', ports);
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const there = { ...requested, api_url: `http://127.0.0.1:${ports.port}` };
    const [one, two] = [await idco.attestation(requested, TEXT), await idco.attestation(requested, TEXT)];

    const sent = await Promise.allSettled([idco.sends(there, one), idco.sends(requested, two), idco.sends(there, two)]);
    await replica.kill();

    const refusals = sent.flatMap((made) => (made.status === 'rejected' ? [made.reason as unknown] : []));
    expect([1, 2]).toContain(refusals.length);
    expect(new Set(refusals.map((refusal) => (refusal as { key: string }).key))).toEqual(new Set(['verification.request_not_found']));
    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
  });

  it.each(['ANA', 'BEN'])('is shown to services of any region, and signed by the provider: %s', async (code) => {
    const person = world.person(code);
    const verified = await idco.verifies(person, 'email', TEXT);

    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    const value = await shown(person);
    expect(value).toMatchObject(verified);
    expect(await isAttested(value, await shop.opens(value.value!))).toBe(true);

    const params = { verificationId: verified.verification_id };
    const { attestation, person_user_id } = await shop.asks(verifications.readAttestation, { params });
    const { keys } = (await providers()).find(({ provider_id }) => provider_id === 'idco')!;
    expect(person_user_id).toBe(person.user_id);
    expect(await verifyAttestation(attestation, keys, { person_user_id, ...verified })).toBeDefined();
    expect(Buffer.from(attestation.split('.')[1]!, 'base64url').toString()).not.toMatch(/"email"|field_type/);
  });

  it('shows what proves it to no service but those that have the value', async () => {
    const { verification_id } = await shown(ana);
    const params = { verificationId: verification_id! };

    await expect(world.boltShop.asks(verifications.readAttestation, { params })).rejects.toEqual(refused('verification.not_found', 404));
    expect(Object.keys(await shown(ana)).filter((member) => /attest|field_/.test(member))).toEqual([]);
    const { items } = await ana.asks(contactData.listContactData, {});
    expect(JSON.stringify(items)).not.toMatch(/attestation|field_salt/);
  });

  it('ends when the person edits the value', async () => {
    await ana.fields.edits('email', TEXT.toUpperCase());
    await ana.fields.edits('email', TEXT);

    expect(await shown(ana)).not.toHaveProperty('verified_hash');
    await hears(shop);
  });

  it('can be requested by a person for the own values alone, of types that the provider verifies', async () => {
    await expect(ana.fields.asksToVerify('email', 'nobody')).rejects.toEqual(refused('verification.provider_not_found', 404));
    await expect(ana.fields.asksToVerify('email', 'passports')).rejects.toEqual(refused('verification.type_not_offered', 400));
    await expect(ana.fields.asksToVerify('phone', 'idco')).rejects.toEqual(refused('contact_fields.not_found', 404));
    await expect(ana.fields.asksToVerify('nothing', 'idco')).rejects.toEqual(refused('contact_fields.not_found', 404));

    const requested = await ana.fields.asksToVerify('email', 'idco');
    const params = { slug: 'email', verificationId: requested.verification_id };
    await expect(ben.asks(verifications.withdrawVerificationRequest, { params })).rejects.toEqual(notFound);
    expect((await ana.asks(verifications.listVerificationRequests, { params: { slug: 'email' } })).items).toEqual([requested]);
    expect((await ben.asks(verifications.listVerificationRequests, { params: { slug: 'email' } })).items).toEqual([]);
    await ana.asks(verifications.withdrawVerificationRequest, { params });
    await expect(idco.reads(requested)).rejects.toEqual(notFound);
  });

  it('is refused for requests of another form', async () => {
    const { verification_id: verificationId, api_url: at } = await ana.fields.asksToVerify('email', 'idco');
    const invalid = refused('request.invalid', 400);
    const proof = 'no JWS at all';

    await expect(ana.fields.asksToVerify('email', 'ID of nobody')).rejects.toEqual(invalid);
    const list = ana.asks(verifications.listVerificationRequests, { params: { slug: '1' } });
    await expect(list).rejects.toEqual(refused('contact_fields.not_found', 404));
    const read = idco.asks(verifications.readVerificationRequest, { params: { verificationId }, body: { proof } }, { at });
    await expect(read).rejects.toEqual(invalid);
    const revoked = idco.asks(verifications.revokeAttestation, { params: { verificationId }, body: { proof } }, { at });
    await expect(revoked).rejects.toEqual(invalid);
  });

  it('is refused when the operator has taken the type from the provider since', async () => {
    const row = (await providers()).find(({ provider_id }) => provider_id === 'idco')!;
    const rows = await ProjectionWriter.open(await operator(), PROVIDERS);
    const put = (field_types: string[]) => rows.put('idco', { ...row, field_types, revoked: [], removed: false });
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const attestation = await idco.attestation(requested, TEXT);

    await put(['legal_document']);
    const notOffered = refused('verification.type_not_offered', 400);
    await comesTrue(() => expect(idco.sends(requested, attestation)).rejects.toEqual(notOffered));

    await put(row.field_types);
    await comesTrue(() => ana.fields.asksToVerify('email', 'idco'));
  });

  it('lets only so many requests of a person wait', async () => {
    const eve = await world.signsUp({ type: 'person' });
    await eve.fields.edits('email', TEXT);
    for (let nth = 0; nth < 20; nth++) await eve.fields.asksToVerify('email', 'idco');

    await expect(eve.fields.asksToVerify('email', 'idco')).rejects.toEqual(refused('verification.too_many_requests', 409));
  });

  it('tells nothing to those who cannot sign, whatever they send', async () => {
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const { verification_id: on, api_url } = requested;
    const stranger = newSigningKey();
    const forged = await idco.attestation(requested, TEXT, { key: stranger });
    const none = [{ alg: 'none', typ: ATTESTATION_TYPE, kid: 'first' }, { iss: 'idco' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');

    for (const jws of [forged, `${none}.`, `${none}.AAAA`, 'x', '..', 'a.b.c', forged.replace(/[^.]*$/, '')])
      await expect(idco.sends(requested, jws)).rejects.toEqual(notSigned);
    for (const id of [on, 'ver_nothing'])
      await expect(idco.reads({ ...requested, verification_id: id }, stranger)).rejects.toEqual(notSigned);
    await expect(idco.sends({ ...requested, verification_id: 'ver_nothing' }, forged)).rejects.toEqual(notSigned);
    await expect(idco.revokes(on, api_url, stranger)).rejects.toEqual(notSigned);
    for (const jws of ['x'.repeat(5000), '\u0000', '', 'a b'])
      await expect(idco.sends(requested, jws)).rejects.toEqual(refused('request.invalid', 400));
    for (const body of ['', '{', '[]', 'null', '{"attestation":7}', '{"attestation":{"a":1}}']) {
      const path = `${api_url}/api/verification/requests/${on}/attestation`;
      const { status } = await fetch(path, { method: 'POST', headers: { host: 'localhost', 'content-type': 'application/json' }, body });
      expect(status).toBe(400);
    }
    expect(await shown(ana)).not.toHaveProperty('verified_hash');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another base', { aud: 'https://elsewhere.example' }, 'read_request'],
    ['another request', { on: 'ver_other' }, 'read_request'],
    ['another act', {}, 'revoke_attestation'],
    ['an earlier time', { iat: 1 }, 'read_request'],
  ])('is no matter of a proof for %s', async (_, claims, act) => {
    const { verification_id, api_url } = await ana.fields.asksToVerify('email', 'idco');
    const proof = idco.proof(act, verification_id, api_url, idco.key, claims);
    const params = { verificationId: verification_id };

    await expect(idco.asks(verifications.readVerificationRequest, { params, body: { proof } }, { at: api_url })).rejects.toEqual(notSigned);
  });

  it('is made by the provider that the person chose alone', async () => {
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const claims = { iss: 'passports' };

    await expect(other.reads(requested)).rejects.toEqual(notFound);
    await expect(other.sends(requested, await idco.attestation(requested, TEXT, { claims, key: other.key }))).rejects.toEqual(notFound);
    await expect(idco.sends(requested, await idco.attestation(requested, TEXT, { claims }))).rejects.toEqual(notSigned);
  });

  it.each<[string, (now: Date) => Record<string, unknown>, RegExp]>([
    ['for another person', () => ({ sub: 'user_eve' }), /^sub: /],
    ['for another request', () => ({ jti: 'ver_other' }), /^jti: /],
    ['of another field', () => ({ field_hash: 'a'.repeat(64) }), /^field_hash: /],
    ['without a hash', () => ({ verified_hash: undefined }), /^verified_hash: /],
    ['with a short salt', () => ({ verified_salt: 'salt' }), /^verified_salt: /],
    ['with a time of another zone', () => ({ verified_at: '2026-01-01T00:00:00+02:00' }), /^verified_at: /],
    [
      'of what was looked at long ago',
      (now) => ({ verified_at: new Date(now.getTime() - 25 * 3_600_000).toISOString() }),
      /^verified_at: /,
    ],
    ['of what will be looked at', (now) => ({ verified_at: new Date(now.getTime() + 120_000).toISOString() }), /^verified_at: /],
    ['that is over', (now) => ({ verified_expires_at: now.toISOString() }), /^verified_expires_at: .*future/],
    [
      'that is good for longer than the provider may say',
      (now) => ({ verified_expires_at: new Date(now.getTime() + 366 * 86_400_000).toISOString() }),
      /^verified_expires_at: .*max_days/,
    ],
    ['signed in the future', (now) => ({ iat: Math.floor(now.getTime() / 1000) + 120 }), /^iat: /],
    ['signed before the request', (now) => ({ iat: Math.floor(now.getTime() / 1000) - 120 }), /^iat: /],
  ])('is refused when the attestation does not fit: %s', async (_, claims, reason) => {
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const attestation = await idco.attestation(requested, TEXT, { claims: claims(world.now) });

    const invalid = { key: 'verification.attestation_invalid', status: 400, message: expect.stringMatching(reason) };
    await expect(idco.sends(requested, attestation)).rejects.toMatchObject(invalid);
    await ana.asks(verifications.withdrawVerificationRequest, { params: { slug: 'email', verificationId: requested.verification_id } });
  });

  it('must be of the value itself when that is public', async () => {
    await ana.asks(contactData.putContactData, { params: { slug: 'first_name' }, body: { value: 'Ana', is_private: false, copies: [] } });
    const requested = await ana.fields.asksToVerify('first_name', 'idco');

    await expect(idco.sends(requested, await idco.attestation(requested, 'Anna'))).rejects.toEqual(
      refused('verification.attestation_invalid', 400),
    );
    await idco.sends(requested, await idco.attestation(requested, 'Ana'));
  });

  it('is made once: the same attestation changes nothing, and the request takes no other, at the same time or later', async () => {
    const requested = await ana.fields.asksToVerify('email', 'idco');
    const attestation = await idco.attestation(requested, TEXT);

    await Promise.all([idco.sends(requested, attestation), idco.sends(requested, attestation)]);
    await idco.sends(requested, attestation);

    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    await expect(idco.reads(requested)).rejects.toEqual(notFound);
    const next = await ana.fields.asksToVerify('email', 'idco');
    await expect(idco.sends(next, attestation)).rejects.toEqual(refused('verification.attestation_invalid', 400));
    await expect(idco.sends(requested, await idco.attestation(next, TEXT))).rejects.toEqual(notFound);
  });

  it('is renewed by another request, and then has its new times', async () => {
    const before = await shown(ana);
    await world.passes({ minutes: 5 });
    const verified = await idco.verifies(ana, 'email', TEXT);

    expect(verified.verification_id).not.toBe(before.verification_id);
    expect(await shown(ana)).toMatchObject(verified);
    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    await expect(idco.revokes(before.verification_id!, world.regionUrl('eu'))).rejects.toEqual(refused('verification.not_found', 404));
  });

  it('is refused once the value was edited, or deleted, or the time of the request is over', async () => {
    const edited = await ana.fields.asksToVerify('email', 'idco');
    const attestation = await idco.attestation(edited, TEXT);
    await ana.fields.edits('email', TEXT);
    await expect(idco.sends(edited, attestation)).rejects.toEqual(refused('verification.value_changed', 409));

    const late = await ana.fields.asksToVerify('email', 'idco');
    const lateAttestation = await idco.attestation(late, TEXT);
    await pass(24);
    await expect(idco.sends(late, lateAttestation)).rejects.toEqual(notFound);
    await unverified(ana);
  });

  it('waits while saving is paused @spec D1-7', async () => {
    const requested = await ben.fields.asksToVerify('email', 'idco');
    const attestation = await idco.attestation(requested, TEXT);
    const { api_url } = requested;
    const pauses = async (writes_paused: boolean) => (await operator()).request(OPERATOR.setMode, {}, { region: 'us', writes_paused });
    const paused = refused('db.writes_paused', 503);
    await pauses(true);
    await comesTrue(() => expect(idco.sends(requested, attestation)).rejects.toEqual(paused));

    await expect(idco.reads(requested)).rejects.toEqual(paused);
    await expect(idco.revokes('ver_any', api_url)).rejects.toEqual(paused);

    await pauses(false);
    await comesTrue(() => idco.sends(requested, attestation));
    await hears(shop);
  });

  it('of a value that an operator marked before there were providers is ended', async () => {
    const db = await world.opensDatabase('region_us');
    const verification = {
      verified_hash: 'a'.repeat(64),
      verified_salt: 'salt',
      verified_at: world.now.toISOString(),
      verification_id: 'ver_old',
    };
    await execute(db, sql`update contact_value set verification = ${JSON.stringify(verification)} where owner_user_id = ${ben.user_id}`);
    const own = async () => (await ben.asks(contactData.listContactData, {})).items;

    expect(JSON.stringify(await own())).not.toContain('ver_old');
    const isLeft = async () =>
      (await one(db, sql`select from contact_value where verification->>'verification_id' = 'ver_old'`)) !== undefined;
    await comesTrue(async () => expect(await isLeft()).toBe(false), 240);
    await hears(shop);
  });

  it('ends when the provider revokes it, and no other provider can', async () => {
    const { verification_id } = await idco.verifies(ben, 'email', TEXT);
    await hears(shop);

    await expect(other.revokes(verification_id, world.regionUrl('us'))).rejects.toEqual(refused('verification.not_found', 404));
    await idco.revokes(verification_id, world.regionUrl('us'));

    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
    expect(await shown(ben)).not.toHaveProperty('verified_hash');
    await expect(idco.revokes(verification_id, world.regionUrl('us'))).rejects.toEqual(refused('verification.not_found', 404));
  });

  it('ends at its time, with an event @spec D1-6.1', async () => {
    await idco.verifies(ana, 'email', TEXT, { until: new Date(world.now.getTime() + 3_600_000) });
    await hears(shop);
    await pass(1);

    await comesTrue(async () => expect(await shown(ana)).not.toHaveProperty('verified_hash'), 240);
    expect(await hearsOf(shop)).toEqual(['field_updated mail']);
  });

  describe('and the keys of its provider', () => {
    const second = newSigningKey('second');

    it('stays when a key is replaced, which signs on until its overlap is over', async () => {
      const verified = await idco.verifies(ana, 'email', TEXT);
      const overlap = { provider_id: 'idco', key: publicKeyOf(second), overlap_days: 1 };
      await (await operator()).request(OPERATOR.rotateVerificationKey, {}, overlap);
      await comesTrue(async () => expect((await providers())[0]!.keys).toHaveLength(2));

      await idco.verifies(ben, 'email', TEXT);
      await pass(25);
      await hears(shop);

      const requested = await ana.fields.asksToVerify('email', 'idco');
      await expect(idco.reads(requested)).rejects.toEqual(notSigned);
      expect(await idco.reads(requested, second)).toMatchObject({ user_id: ana.user_id, field: 'email', field_type: 'email' });
      expect(await shown(ana)).toMatchObject(verified);
    });

    it('ends everywhere when the key that signed it is revoked, for snapshots too', async () => {
      await ana.fields.edits('first_name', 'Ana');
      const key = await keyThatSigns('third');
      await idco.verifies(ana, 'first_name', 'Ana', { key });
      const connection = connected.get(ana)!;
      await ana.connections.shares(connection, { name: { text: 'Ana', from: 'first_name', live: false } });
      expect(await shown(ana, 'name')).toHaveProperty('verified_hash');
      await hears(shop);

      await (await operator()).request(OPERATOR.revokeVerificationKey, {}, { provider_id: 'idco', kid: 'third' });

      await comesTrue(async () => expect(await shown(ana, 'name')).not.toHaveProperty('verified_hash'));
      await expect(idco.reads(await ana.fields.asksToVerify('email', 'idco'), key)).rejects.toEqual(notSigned);
      const again = { provider_id: 'idco', key: publicKeyOf(key), overlap_days: 0 };
      await expect((await operator()).request(OPERATOR.rotateVerificationKey, {}, again)).rejects.toMatchObject({ key: 'request.invalid' });
    });

    /** Gives the provider one more key, and waits until the regions take it. */
    const keyThatSigns = async (kid: string) => {
      const key = newSigningKey(kid);
      await (
        await operator()
      ).request(OPERATOR.rotateVerificationKey, {}, { provider_id: 'idco', key: publicKeyOf(key), overlap_days: 90 });
      const requested = await ana.fields.asksToVerify('email', 'idco');
      await comesTrue(() => idco.reads(requested, key));
      idco.key = key;
      return key;
    };
  });

  it('ends with its provider, whose id is never given to another one', async () => {
    expect(await shown(ben)).toHaveProperty('verified_hash');
    await hears(shop);

    await (await operator()).request(OPERATOR.removeVerificationProvider, {}, { provider_id: 'idco' });

    await comesTrue(async () => expect(await shown(ben)).not.toHaveProperty('verified_hash'));
    await comesTrue(async () => expect(await hearsOf(shop)).toContain('field_updated mail'), 240);
    expect((await providers()).map(({ provider_id }) => provider_id)).toEqual(['passports']);
    await expect(ben.fields.asksToVerify('email', 'idco')).rejects.toEqual(refused('verification.provider_not_found', 404));
    const registered = (await operator()).request(OPERATOR.addVerificationProvider, {}, idco.registration);
    await expect(registered).rejects.toMatchObject({ key: 'request.invalid' });
  });
});
