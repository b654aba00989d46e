import { createHash } from 'node:crypto';
import { approvals, canonicalJson, CHALLENGE_SUBJECTS, devices, DOCUMENT_SUBJECTS, Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { onBehalfOf } from '@codase/runtime/initiator';
import { Device, eventually, World, type Person } from '@codase/testing';
import { compactVerify, decodeJwt, importJWK } from 'jose';
import type { DataSource } from 'typeorm';
import { phone, signIn } from '../../support/oauth-visitor.ts';

const NOT_PROVEN = { key: 'account.device_required', status: 403 };

/** Statements of devices over approvals and signatures. The company lives in eu, so a person of us acts across regions. */
describe('acts of persons with a device @gap D1-5', () => {
  let world: World;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await world.opensDatabase('region_eu', { pool: 2 });
  });
  afterAll(() => world?.close());

  const customer = async (region: 'eu' | 'us'): Promise<Person> => {
    const person = await world.signsUp({ type: 'person', region });
    await person.connections.connects('ACME/SHOP');
    await person.phone.enrols(world.shop);
    return person;
  };
  const withDevice = async (region: 'eu' | 'us' = 'us'): Promise<{ person: Person; device: Device }> => {
    const [person, device] = [await customer(region), new Device(() => world.now)];
    person.uses(device);
    await person.signsIn();
    await untilKnown(person);
    return { person, device };
  };
  /** Waits until the regions know the key: from then on they refuse what no device has signed. */
  const untilKnown = (person: Person) =>
    eventually(async () => {
      const { access_token } = await signIn(phone(world), person, world.stranger);
      const params = { challengeId: 'chal_of_nobody' };
      const error = await world.stranger
        .asks(approvals.denyChallenge, { params }, { at: world.regionUrl('eu'), token: access_token })
        .catch((refused: unknown) => refused);
      const there = await world.stranger
        .asks(approvals.denyChallenge, { params }, { at: world.regionUrl('us'), token: access_token })
        .catch((refused: unknown) => refused);
      return [error, there].some((refused) => (refused as Refusal).key === 'account.device_required') ? true : undefined;
    });
  const auditOf = (object: string) =>
    many<{ act: string; statement: string | null; account_id: string }>(
      db,
      sql`select act, details->>'statement' as statement, account_id from audit.entry where object = ${object} and outcome = 'done'
            and act in ('challenge.answered', 'document.signed', 'document.accepted', 'document.declined') order by at`,
    );
  const raises = (person: Person) => world.shop.challenges.raises(person);

  describe.each(['eu', 'us'] as const)('at home in %s', (region) => {
    it('are stored with the statement, which anybody can verify', async () => {
      const { person, device } = await withDevice(region);
      const raised = await raises(person);

      expect((await person.phone.approves(raised)).status).toBe('approved');

      const statement = (await auditOf(raised.challenge_id))[0]!.statement!;
      const { protectedHeader } = await compactVerify(statement, await importJWK({ ...device.key }, 'ES256'));
      expect(protectedHeader).toEqual({ typ: 'codase-act+jwt', alg: 'ES256', jwk: device.key });
      const digest = createHash('sha256').update('{"gate":"biometric"}').digest('base64url');
      expect(decodeJwt(statement)).toMatchObject({ act: 'approve_challenge', on: raised.challenge_id, digest });
    });

    it('are denials, signatures, acceptances and refusals of documents too', async () => {
      const { person } = await withDevice(region);
      const { documents } = world.shop;
      const raised = await raises(person);
      const [signed, accepted, declined] = [
        await documents.issues(person, { requires_signature: true }),
        await documents.issues(person, { requires_acceptance: true }),
        await documents.issues(person, { requires_acceptance: true }),
      ];

      await person.phone.denies(raised);
      await person.documents.signs(signed);
      await person.documents.accepts(accepted);
      await person.documents.declines(declined);

      const stated = async ({ id }: { id: string }) =>
        (await auditOf(id)).map(({ act, statement }) => [act, statement && decodeJwt(statement)['act']]);
      expect(await stated({ id: raised.challenge_id })).toEqual([['challenge.answered', 'deny_challenge']]);
      expect(await stated(signed)).toEqual([['document.signed', 'sign_document']]);
      expect(await stated(accepted)).toEqual([['document.accepted', 'accept_document']]);
      expect(await stated(declined)).toEqual([['document.declined', 'decline_document']]);
    });

    it('of a person without a device are stored without one, as before', async () => {
      const person = await customer(region);
      const [raised, document] = [await raises(person), await world.shop.documents.issues(person, { requires_signature: true })];

      await person.phone.approves(raised);
      await person.documents.signs(document);

      expect((await auditOf(raised.challenge_id)).map(({ statement }) => statement)).toEqual([null]);
      expect((await auditOf(document.id)).map(({ statement }) => statement)).toEqual([null]);
    });

    it('are refused without a statement, in a session with a bearer token too', async () => {
      const { person } = await withDevice(region);
      const raised = await raises(person);
      const document = await world.shop.documents.issues(person, { requires_signature: true });
      person.uses(undefined);

      await expect(person.phone.approves(raised)).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.phone.denies(raised)).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.documents.signs(document)).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.documents.accepts(document)).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.documents.declines(document)).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.documents.cancels(document)).rejects.toMatchObject(NOT_PROVEN);
      expect(await auditOf(raised.challenge_id)).toEqual([]);
    });
  });

  describe('that a region in the wrong hands sends for its own user', () => {
    let stolen: Bus;
    let person: Person;
    let device: Device;
    let challenge_id: string;
    beforeAll(async () => {
      stolen = await world.busAs('platform-region-us');
      ({ person, device } = await withDevice());
      challenge_id = 'chal_of_nobody';
      await eventually(() => sends(undefined).catch((refused: Refusal) => (refused.key === NOT_PROVEN.key ? true : undefined)));
    });
    beforeEach(async () => {
      await world.passes({ minutes: 6 });
      ({ challenge_id } = await raises(person));
    });

    const approve = { kind: 'approve', gate: 'biometric' } as const;
    const sends = (statement: string | undefined, answer: object = approve) =>
      onBehalfOf(statement === undefined ? {} : { statement }, () =>
        stolen.request(CHALLENGE_SUBJECTS.answer, { region: 'eu' }, { person_user_id: person.user_id, challenge_id, answer } as never),
      );
    const states = (act: string, on: string, body = { gate: 'biometric' } as Record<string, unknown>, by = device) =>
      by.states({ act, on, body });

    it('are refused without a statement', async () => {
      await expect(sends(undefined)).rejects.toMatchObject(NOT_PROVEN);
      await expect(sends('')).rejects.toMatchObject(NOT_PROVEN);
      const document_id = (await world.shop.documents.issues(person, { requires_acceptance: true })).id;
      const accept = { user_id: person.user_id, document_id, act: { kind: 'accept' } } as const;
      await expect(stolen.request(DOCUMENT_SUBJECTS.act, { region: 'eu' }, accept)).rejects.toMatchObject(NOT_PROVEN);
      expect(await auditOf(document_id)).toEqual([]);
    });

    it('are refused with the statement of another act, object, body or device, and with an old one', async () => {
      const other = await raises(person);
      const early = new Device(() => new Date(world.now.getTime() - 61_000));

      for (const statement of [
        states('deny_challenge', challenge_id, {}),
        states('approve_challenge', other.challenge_id),
        states('approve_challenge', challenge_id, { gate: 'passcode' }),
        states('approve_challenge', challenge_id, { gate: 'biometric', digits: '12' }),
        states('approve_challenge', challenge_id, undefined, new Device(() => world.now)),
        states('approve_challenge', challenge_id, undefined, early),
        device.signs('dpop+jwt', { act: 'approve_challenge', on: challenge_id }),
        `${states('approve_challenge', challenge_id)}x`,
        'nonsense',
      ])
        await expect(sends(statement)).rejects.toMatchObject(NOT_PROVEN);
      expect(await auditOf(challenge_id)).toEqual([]);
    });

    it('are refused with a statement that is a minute old, and with one by which another act was stored', async () => {
      const statement = states('approve_challenge', challenge_id);
      await world.passes({ seconds: 61 });
      await expect(sends(statement)).rejects.toMatchObject(NOT_PROVEN);

      const moment = device.moment();
      const withMoment = (on: string) => {
        const { jti: _, ...claims } = decodeJwt(states('approve_challenge', on));
        return device.signs('codase-act+jwt', { ...claims, ...moment });
      };
      await sends(withMoment(challenge_id), approve);
      await world.passes({ seconds: 1 });
      ({ challenge_id } = await raises(person));
      await expect(sends(withMoment(challenge_id), approve)).rejects.toMatchObject({
        ...NOT_PROVEN,
        message: expect.stringMatching(/with this jti/),
      });
    });

    it('are refused with a statement of a device that was removed', async () => {
      const { items } = await person.asks(devices.listDevices, {}, { at: world.frontDoorUrl });
      const another = new Device(() => world.now);
      person.uses(another);
      await person.signsIn();
      await person.asks(devices.removeDevice, { params: { deviceId: items[0]!.id } }, { at: world.frontDoorUrl });

      const refused = await eventually(() =>
        sends(states('approve_challenge', 'chal_of_nobody')).then(
          () => undefined,
          (error: Refusal) => (/not removed/.test(error.message) ? error : undefined),
        ),
      );
      expect(refused).toMatchObject(NOT_PROVEN);
      await expect(sends(states('approve_challenge', challenge_id))).rejects.toMatchObject(NOT_PROVEN);
      await expect(sends(states('approve_challenge', challenge_id, undefined, another))).resolves.toMatchObject({ status: 'approved' });
    });
  });

  it('a statement has one form on all sides', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'ü"' }], a: undefined, A: true })).toBe('{"A":true,"b":[1,{"c":"ü\\"","d":null}]}');
  });
});
