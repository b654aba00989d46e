import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { registry, Refusal, services, type Output, type Request } from '@codase/contracts';
import type { ServiceKey } from '@codase/crypto';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { World, type Company } from '@codase/testing';
import { clearKey, SERVICE_KEYS } from '@codase/testing/keys';

type NewService = Request<typeof services.createService>['body'];
type Service = Output<typeof services.createService>;
type ShareConfig = Output<typeof services.readShareConfig>;

/** How many services a company may have here: more than the other tests make. */
const MAX = 40;

const SPKI = { type: 'spki', format: 'der' } as const;

/** Makes a public key from its numbers alone, because the search for primes would take seconds. */
function rsaKey({ bits = 2048, e = 'AQAB', type = 'spki' as 'spki' | 'pkcs1' }): string {
  const n = Buffer.alloc(bits / 8, 0xc5).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n, e } })
    .export({ type, format: 'der' })
    .toString('base64');
}

describe('the services of a company @spec D1-2.4 @spec D1-5.8', () => {
  let world: World;
  let acme: Company;
  let neighbour: Company;
  let key: ServiceKey;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    await world.starts('region-eu', { SERVICES_PER_COMPANY: String(MAX) });
    acme = world.acme;
    neighbour = await world.signsUp({ type: 'company', region: 'eu' });
    key = SERVICE_KEYS[2];
  });
  afterAll(() => world?.close());

  const newService = (changes: Partial<NewService> = {}): NewService => ({
    name: 'Club',
    admin_email: 'club@acme.example',
    public_key: key.public_key,
    encrypted_private_key: { ...key.encrypted_private_key, iter: 100_000 },
    ...changes,
  });
  const creates = (company: Company, changes: Partial<NewService> = {}) =>
    company.asks(services.createService, { body: newService(changes) });
  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

  it('are limited in number, also for concurrent calls, and one more can be created after a deletion @gap D1-8', async () => {
    const collector = await world.signsUp({ type: 'company', region: 'eu' });

    const answers = await Promise.allSettled(Array.from({ length: MAX + 2 }, () => creates(collector)));
    const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Refusal] : []));
    expect(made).toHaveLength(MAX);
    expect(refusals).toEqual([refused('services.too_many', 409), refused('services.too_many', 409)]);
    expect(refusals[0]!.message).toContain('delete one');

    await collector.asks(services.deleteService, { params: { id: made[0]!.id } });
    expect(await creates(collector)).toMatchObject({ name: 'Club' });
  });

  describe('the admin e-mail of a service @gap D1-2.4', () => {
    const sets = (company: Company, id: string, admin_email: string) =>
      company.asks(services.changeAdminEmail, { params: { id }, body: { admin_email } });
    const confirms = (company: Company, id: string, code: string) =>
      company.asks(services.confirmAdminEmail, { params: { id }, body: { code } });
    const mailsTo = async (to: string) => (await world.regionMails('eu')).filter((mail) => mail.to === to);
    const invalid = refused('services.admin_email_code_invalid', 400);

    it('is confirmed with the mailed code, for all services of the company that use it', async () => {
      const [first, second] = [
        await creates(neighbour, { admin_email: 'ops@n.example' }),
        await creates(neighbour, { admin_email: 'Ops@n.example' }),
      ];
      const code = (await mailsTo('ops@n.example'))[0]!.code!;
      expect(first.admin_email_confirmed).toBe(false);

      await expect(confirms(neighbour, second.id, code)).rejects.toEqual(invalid);
      await expect(confirms(neighbour, first.id, 'lower')).rejects.toEqual(invalid);
      await expect(confirms(acme, first.id, code)).rejects.toEqual(refused('services.not_found', 404));
      const more = { code, admin_email: 'mine@n.example' };
      await expect(neighbour.asks(services.confirmAdminEmail, { params: { id: first.id }, body: more })).rejects.toEqual(
        refused('request.invalid', 400),
      );
      expect(await confirms(neighbour, first.id, code)).toMatchObject({ admin_email_confirmed: true });

      expect(await neighbour.asks(services.readService, { params: { id: second.id } })).toMatchObject({ admin_email_confirmed: true });
      expect(await creates(neighbour, { admin_email: 'ops@n.example' })).toMatchObject({ admin_email_confirmed: true });
      expect(await sets(neighbour, first.id, 'other@n.example')).toMatchObject({ admin_email_confirmed: false });
    });

    it('refuses its code after five wrong ones, and every code of an earlier address', async () => {
      const { id } = await creates(neighbour, { admin_email: 'one@n.example' });
      const before = (await mailsTo('one@n.example'))[0]!.code!;
      await sets(neighbour, id, 'two@n.example');
      const code = (await mailsTo('two@n.example'))[0]!.code!;

      for (const wrong of [before, 'WRONG222', 'WRONG222', 'WRONG222', 'WRONG222'])
        await expect(confirms(neighbour, id, wrong)).rejects.toEqual(invalid);
      await expect(confirms(neighbour, id, code)).rejects.toEqual(invalid);

      await sets(neighbour, id, 'two@n.example');
      expect(await confirms(neighbour, id, (await mailsTo('two@n.example'))[0]!.code!)).toMatchObject({ admin_email_confirmed: true });
    });

    it('receives at most three mails a day from one company, and the last code stays valid', async () => {
      const { id } = await creates(neighbour, { admin_email: 'flooded@n.example' });
      for (let nth = 0; nth < 2; nth++) await sets(neighbour, id, 'flooded@n.example');
      const [mail] = await mailsTo('flooded@n.example');
      await sets(neighbour, id, 'Flooded@n.example');

      expect(await world.regionMails('eu')).toContainEqual(mail);
      expect(await mailsTo('Flooded@n.example')).toEqual([]);
      const { items } = await neighbour.asks(services.readServiceLogs, { params: { id }, query: {} });
      expect(items.map(({ message }) => message)).toContainEqual(expect.stringMatching(/was changed; .* set it again tomorrow$/));
      expect(await confirms(neighbour, id, mail!.code!)).toMatchObject({ admin_email_confirmed: true });
    });

    it('is confirmed for one company only, and each company has its own limit of mails', async () => {
      const theirs = await creates(acme, { admin_email: 'flooded@n.example' });

      expect(theirs.admin_email_confirmed).toBe(false);
      expect(await mailsTo('flooded@n.example')).toContainEqual(expect.objectContaining({ service_id: theirs.id }));
    });
  });

  describe('creating a service', () => {
    it('stores what the request contains, and assigns a share code', async () => {
      const service = await creates(acme);

      expect(service).toMatchObject({
        name: 'Club',
        admin_email: 'club@acme.example',
        number_matching: false,
        audience: 'both',
        public_key: key.public_key,
        encrypted_private_key: key.encrypted_private_key,
      });
      expect(service.id).toMatch(/^ser_\w{24}$/);
      expect(service.share_code).toMatch(/^[A-Z0-9]{8}$/);
      expect(await acme.asks(services.readService, { params: { id: service.id } })).toEqual(service);
    });

    it('is possible for an account client, which acts as the company @spec D1-5.8', async () => {
      const { id } = await world.automation.asks(services.createService, { body: newService({ name: 'By automation' }) });

      expect(await acme.asks(services.readService, { params: { id } })).toMatchObject({ name: 'By automation' });
    });

    const wrapped = (change: object) => ({ encrypted_private_key: { ...key.encrypted_private_key, ...change } });
    const base64 = (bytes: string | Buffer) => Buffer.from(bytes as Buffer).toString('base64');
    const privateKey = clearKey(2048);
    it.each<[string, () => unknown, RegExp]>([
      [
        'of 1024 bits',
        () => ({ public_key: rsaKey({ bits: 1024 }) }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      [
        'of 3072 bits',
        () => ({ public_key: rsaKey({ bits: 3072 }) }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      [
        'with the exponent 3',
        () => ({ public_key: rsaKey({ e: 'Aw' }) }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      [
        'of a curve',
        () => ({ public_key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export(SPKI).toString('base64') }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      [
        'in PKCS#1',
        () => ({ public_key: rsaKey({ type: 'pkcs1' }) }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      [
        'that is no base64',
        () => ({ public_key: 'not base64!' }),
        /^public_key: must be base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key/,
      ],
      ['wrapped with fewer iterations', () => wrapped({ iter: 1000 }), /^encrypted_private_key.iter: must be 100000$/],
      ['wrapped with a short salt', () => wrapped({ salt: 'c2FsdA==' }), /^encrypted_private_key.salt: must be base64 of 16 bytes$/],
      ['wrapped with a salt of 17 bytes', () => wrapped({ salt: base64(Buffer.alloc(17)) }), /^encrypted_private_key.salt: /],
      ['of one byte', () => wrapped({ data: 'qw==' }), /^encrypted_private_key.data: has 1 bytes, and .* has at least 1166$/],
      ['of ten bytes', () => wrapped({ data: base64('ten bytes!') }), /^encrypted_private_key.data: has 10 bytes/],
      [
        'in the clear',
        () => wrapped({ data: base64(privateKey.export({ type: 'pkcs8', format: 'der' })) }),
        /^encrypted_private_key.data: is a private key in the clear/,
      ],
      [
        'in the clear, as PEM',
        () => wrapped({ data: base64(privateKey.export({ type: 'pkcs8', format: 'pem' })) }),
        /^encrypted_private_key.data: is a private key in the clear/,
      ],
      ['that is not wrapped', () => ({ encrypted_private_key: 'MIIEvQ==' }), /^encrypted_private_key: must be an object/],
      [
        'whose PEM is not encrypted',
        () => ({ private_key_pem: '-----BEGIN PRIVATE KEY-----\n' }),
        /^private_key_pem: must be an encrypted/,
      ],
      [
        'whose PEM is a frame around nothing',
        () => ({ private_key_pem: '-----BEGIN ENCRYPTED PRIVATE KEY-----\n\n-----END ENCRYPTED PRIVATE KEY-----\n' }),
        /^private_key_pem: must hold a key/,
      ],
    ])('refuses a key %s, and says which member is wrong @spec D1-2.4', async (_, changes, message) => {
      const creating = creates(acme, changes() as Partial<NewService>);
      await expect(creating).rejects.toEqual(refused('services.key_invalid', 400));
      await expect(creating).rejects.toThrow(message);
    });

    it.each([['a name'], ['']])('refuses the admin e-mail "%s" @spec D1-7', async (admin_email) => {
      await expect(creates(acme, { admin_email })).rejects.toEqual(refused('services.admin_email_invalid', 400));
    });

    it.each([
      ['a blank name', { name: ' ' }],
      ['a member of its own', { company_user_id: 'usr_demo_bolt' }],
    ])('refuses %s', async (_, changes) => {
      await expect(creates(acme, changes as Partial<NewService>)).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  describe('the private key of a service as PEM @spec D1-2.3', () => {
    it('is returned unchanged, and opens only with the passphrase', async () => {
      const { id } = await creates(acme, { private_key_pem: key.pem });
      const { content_type, bytes } = await acme.asks(services.downloadPrivateKey, { params: { id } });

      expect(content_type).toBe('application/x-pem-file');
      expect(Buffer.from(bytes).toString()).toBe(key.pem);
      expect((await readPrivateKeyPem(Buffer.from(bytes).toString(), key.passphrase)).length).toBeGreaterThan(1000);
    });

    it('is not found when it was not stored', async () => {
      const { id } = await creates(acme);
      await expect(acme.asks(services.downloadPrivateKey, { params: { id } })).rejects.toEqual(refused('company_data.file_not_found', 404));
    });
  });

  it('are listed in pages, oldest first', async () => {
    const company = await world.signsUp({ type: 'company', region: 'eu' });
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      made.push((await creates(company, { name })).id);
      await world.passes({ seconds: 1 });
    }
    const first = await company.asks(services.listServices, { query: { limit: 2 } });
    const second = await company.asks(services.listServices, { query: { limit: 2, cursor: first.next_cursor! } });

    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made);
    expect(second.next_cursor).toBeNull();
    await expect(company.asks(services.listServices, { query: { cursor: 'bm90IG91cnM' } })).rejects.toEqual(
      refused('request.invalid', 400),
    );
  });

  describe('the share code of a service @spec D1-2.4', () => {
    const chooses = (company: Company, id: string, share_code: string) =>
      company.asks(services.changeShareCode, { params: { id }, body: { share_code } });

    it('is chosen by the company, and stays free for another company', async () => {
      const [mine, theirs] = [await creates(acme), await creates(neighbour)];

      expect((await chooses(acme, mine.id, 'CLUB')).share_code).toBe('CLUB');
      expect((await chooses(acme, mine.id, 'CLUB')).share_code).toBe('CLUB');
      expect((await chooses(neighbour, theirs.id, 'CLUB')).share_code).toBe('CLUB');
    });

    it('is refused when another service of the company has it', async () => {
      const { id } = await creates(acme);
      await expect(chooses(acme, id, 'SHOP')).rejects.toEqual(refused('services.share_code_taken', 409));
    });

    it.each([['club'], ['TOOLONG99'], [''], ['A-B'], ['CLUB\n']])('cannot be %j', async (share_code) => {
      const { id } = await creates(acme);
      await expect(chooses(acme, id, share_code)).rejects.toEqual(refused('services.share_code_invalid', 400));
    });

    it('goes to one of thirty services that request it at once', async () => {
      const racers: Service[] = [];
      for (let nth = 0; nth < 30; nth++) racers.push(await creates(neighbour));

      const outcomes = await Promise.allSettled(racers.map(({ id }) => chooses(neighbour, id, 'RACE')));
      const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Refusal] : []));
      expect(lost.map(({ key }) => key)).toEqual(Array(29).fill('services.share_code_taken'));
    });
  });

  it('can have their admin e-mail and number matching changed @spec D1-2.4 @spec D1-4.5', async () => {
    const { id } = await creates(acme);

    expect(await acme.asks(services.changeAdminEmail, { params: { id }, body: { admin_email: 'new@acme.example' } })).toMatchObject({
      admin_email: 'new@acme.example',
    });
    expect(await acme.asks(services.changeNumberMatching, { params: { serviceId: id }, body: { number_matching: true } })).toMatchObject({
      number_matching: true,
      admin_email: 'new@acme.example',
    });
    await expect(acme.asks(services.changeAdminEmail, { params: { id }, body: { admin_email: 'nobody' } })).rejects.toEqual(
      refused('services.admin_email_invalid', 400),
    );
    await expect(
      acme.asks(services.changeNumberMatching, { params: { serviceId: id }, body: { number_matching: 'yes' as never } }),
    ).rejects.toEqual(refused('request.invalid', 400));
  });

  it.each([
    ['its share code', services.changeShareCode, { share_code: 'MINE' }],
    ['its admin e-mail', services.changeAdminEmail, { admin_email: 'me@acme.example' }],
  ] as const)('a request that changes %s is refused when it has unknown members', async (_, contract, body) => {
    const service = await creates(acme);

    await expect(
      acme.asks(contract, { params: { id: service.id }, body: { ...body, company_user_id: neighbour.user_id } as never }),
    ).rejects.toEqual(refused('request.invalid', 400));
    expect(await acme.asks(services.readService, { params: { id: service.id } })).toEqual(service);
  });

  describe('what a service shows of its company @spec D1-5.8', () => {
    const EVERYBODY: ShareConfig = { audience: 'both', fields: [], photo_id: null };

    it('is nothing until the company chooses it', async () => {
      const { id } = await creates(acme);
      await acme.asks(registry.putContactField, { params: { slug: 'opening_hours' }, body: { label: 'Opening hours', type: 'text' } });
      const shown: ShareConfig = { audience: 'b2b', fields: ['opening_hours', 'company_name', 'phone'], photo_id: null };

      expect(await acme.asks(services.readShareConfig, { params: { id } })).toEqual(EVERYBODY);
      expect(await acme.asks(services.changeShareConfig, { params: { id }, body: shown })).toEqual(shown);
      expect(await acme.asks(services.readShareConfig, { params: { id } })).toEqual(shown);
      expect(await acme.asks(services.readService, { params: { id } })).toMatchObject({ audience: 'b2b' });
    });

    it.each<[string, object, Refusal['key'], number]>([
      ['a field nobody has', { fields: ['no_such_field'] }, 'contact_fields.not_found', 404],
      ['a field that only persons fill', { fields: ['first_name'] }, 'contact_fields.not_found', 404],
      ['a photo nobody has', { photo_id: 'photo_1' }, 'photos.not_found', 404],
      ['an audience there is not', { audience: 'friends' }, 'request.invalid', 400],
    ])('cannot be %s, and then stays unchanged', async (_, change, refusal, status) => {
      const { id } = await creates(acme);

      await expect(
        acme.asks(services.changeShareConfig, { params: { id }, body: { ...EVERYBODY, audience: 'b2b', ...change } }),
      ).rejects.toEqual(refused(refusal, status));
      expect(await acme.asks(services.readShareConfig, { params: { id } })).toEqual(EVERYBODY);
    });

    it('cannot be a field of another company', async () => {
      const { id } = await creates(acme);
      await neighbour.asks(registry.putContactField, { params: { slug: 'theirs' }, body: { label: 'Theirs', type: 'text' } });

      await expect(acme.asks(services.changeShareConfig, { params: { id }, body: { ...EVERYBODY, fields: ['theirs'] } })).rejects.toEqual(
        refused('contact_fields.not_found', 404),
      );
    });
  });

  describe('a service of another company @spec D1-4.6', () => {
    const EVERYWHERE: [string, (company: Company, id: string) => Promise<unknown>][] = [
      ['read', (company, id) => company.asks(services.readService, { params: { id } })],
      ['deleted', (company, id) => company.asks(services.deleteService, { params: { id } })],
      ['renamed', (company, id) => company.asks(services.changeShareCode, { params: { id }, body: { share_code: 'MINE' } })],
      [
        'given an admin',
        (company, id) => company.asks(services.changeAdminEmail, { params: { id }, body: { admin_email: 'me@mine.example' } }),
      ],
      [
        'given digits',
        (company, id) => company.asks(services.changeNumberMatching, { params: { serviceId: id }, body: { number_matching: true } }),
      ],
      ['looked at', (company, id) => company.asks(services.readShareConfig, { params: { id } })],
      [
        'shown',
        (company, id) =>
          company.asks(services.changeShareConfig, { params: { id }, body: { audience: 'b2b', fields: [], photo_id: null } }),
      ],
      ['robbed of its key', (company, id) => company.asks(services.downloadPrivateKey, { params: { id } })],
    ];

    it.each(EVERYWHERE)('is not found when it is to be %s', async (_, reach) => {
      const service = await creates(acme, { private_key_pem: key.pem });

      for (const id of [service.id, 'ser_nobody', '..%2f'])
        await expect(reach(neighbour, id)).rejects.toEqual(refused('services.not_found', 404));
      expect(await acme.asks(services.readService, { params: { id: service.id } })).toEqual(service);
    });
  });

  it('are not found once they are deleted', async () => {
    const { id } = await creates(acme);
    await acme.asks(services.deleteService, { params: { id } });

    await expect(acme.asks(services.readService, { params: { id } })).rejects.toEqual(refused('services.not_found', 404));
    await expect(acme.asks(services.deleteService, { params: { id } })).rejects.toEqual(refused('services.not_found', 404));
  });
});
