import { account, identity, KEY_WRAP, OPERATOR, type Refusal } from '@codase/contracts';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@codase/crypto/open';
import { execute, many, sql } from '@codase/runtime/db';
import { eventually, World, type Company, type Person } from '@codase/testing';
import { clearKey, SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { SignUpStore } from '../../../src/access/identity/sign-up/sign-up.store.ts';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

/** Sign-ups come from several network addresses. The limit of calls by address is not what is tested here. */
const SETTINGS = { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: JSON.stringify({ token: { burst: 10_000, per_second: 1000 } }) };

describe('accounts and profiles @spec D1-5.8 @gap D1-5', () => {
  let world: World;
  let frontDoor: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['region-eu', 'region-us'] });
    await world.starts('front-door', SETTINGS);
    frontDoor = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
  });
  afterAll(() => world?.close());

  it('are read by a company and a person, each in their own region', async () => {
    const { acme } = world;
    const ben = world.person('BEN');

    expect(await acme.asks(account.readAccount, {})).toMatchObject({
      user_id: acme.user_id,
      type: 'company',
      email: 'acme@demo.example',
      level: 'business',
      region: 'eu',
      api_url: world.regionUrl('eu'),
    });
    expect(await ben.asks(account.readAccount, {})).toMatchObject({
      user_id: ben.user_id,
      type: 'person',
      level: 'free',
      region: 'us',
      api_url: world.regionUrl('us'),
    });
  });

  it('are those of the company for its account client', async () => {
    const { automation, acme } = world;

    expect(await automation.asks(account.readAccount, {})).toMatchObject({ user_id: acme.user_id });
    expect(await automation.asks(account.readProfile, {})).toEqual({
      user_id: acme.user_id,
      display_name: 'Acme',
      language: 'en',
      share_code: 'ACME',
      public_key: acme.public_key,
      moving_to: null,
    });
  });

  it.each([
    ['the company at the portal', () => world.bolt],
    ['its account client', () => world.boltAutomation],
    ['a person', () => world.person('CHIARA')],
  ])('are changed by %s', async (_, who) => {
    const before = await who().asks(account.readProfile, {});

    const renamed = await who().asks(account.changeProfile, { body: { display_name: 'Another name' } });
    expect(renamed).toEqual({ ...before, display_name: 'Another name' });

    const translated = await who().asks(account.changeProfile, { body: { display_name: 'Noch ein Name', language: 'de' } });
    expect(translated).toEqual({ ...before, display_name: 'Noch ein Name', language: 'de' });
    expect(await who().asks(account.readProfile, {})).toEqual(translated);
  });

  it.each([
    ['an empty name', { display_name: ' ' }],
    ["a share code of one's choice", { display_name: 'Acme', share_code: 'BEST' }],
    ['another user', { display_name: 'Acme', user_id: 'usr_demo_bolt' }],
    ['a language nobody speaks', { display_name: 'Acme', language: '12' }],
  ])('refuse %s', async (_, body) => {
    const changed = world.acme.asks(account.changeProfile, { body: body as never });

    await expect(changed).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
    expect(await world.acme.asks(account.readProfile, {})).toMatchObject({ display_name: 'Acme', share_code: 'ACME' });
  });

  describe('the account key @spec D1-4.6 @spec D1-6.1', () => {
    it('is downloaded at the portal, and opens only with its passphrase', async () => {
      const { acme } = world;
      const { public_key, encrypted_private_key } = await acme.asks(account.downloadAccountKey, {});

      const pkcs8 = await openEncryptedPrivateKey(encrypted_private_key, acme.keys.passphrase);
      const wrapper = await world.shop.sealsFor({ public_key }, 'for the company');
      expect(await openValue(await importValuePrivateKey(pkcs8), wrapper)).toBe('for the company');
      await expect(openEncryptedPrivateKey(encrypted_private_key, 'another passphrase')).rejects.toMatchObject({ name: 'CryptoRefusal' });
    });

    it('gets a new passphrase and remains the same key', async () => {
      const company = await world.signsUp({ type: 'company', region: 'us' });
      const { encrypted_private_key: wrapped } = SERVICE_KEYS[2]; // wrapped under another passphrase
      const encrypted_private_key = { ...wrapped, iter: KEY_WRAP.iterations };
      const before = await company.asks(account.readAccountKeys, {});

      const after = await company.asks(account.rewrapAccountKey, { body: { password: company.password, encrypted_private_key } });

      expect(after).toEqual({ public_key: before.public_key, encrypted_private_key });
      expect(await company.asks(account.readAccountKeys, {})).toEqual(after);
    });

    it('is not rewrapped without the password, with a new public key or with other wrap parameters', async () => {
      const { acme } = world;
      const before = await acme.asks(account.readAccountKeys, {});
      const encrypted_private_key = { ...before.encrypted_private_key, iter: KEY_WRAP.iterations };
      const rewraps = (body: object) => acme.asks(account.rewrapAccountKey, { body: body as never });

      const { password } = acme;
      const wrong = { key: 'account.password_wrong', status: 403 };

      await expect(rewraps({ password: 'not the password', encrypted_private_key })).rejects.toMatchObject(wrong);
      const missing = { key: 'request.invalid', status: 400, message: expect.stringMatching(/^password: /) };
      await expect(rewraps({ encrypted_private_key })).rejects.toMatchObject(missing);
      await expect(rewraps({ encrypted_private_key, password: 7 })).rejects.toMatchObject(missing);
      const otherRecipe = rewraps({ password, encrypted_private_key: { ...encrypted_private_key, iter: 1 } });
      await expect(otherRecipe).rejects.toMatchObject({ key: 'account.key_invalid', status: 400 });
      const otherKey = rewraps({ password, encrypted_private_key, public_key: before.public_key });
      await expect(otherKey).rejects.toMatchObject({ key: 'request.invalid' });
      expect(await acme.asks(account.readAccountKeys, {})).toEqual(before);
    });

    it('is accessible only at the portal', async () => {
      const forbidden = { key: 'auth.client_endpoint_forbidden', status: 403 };
      for (const contract of [account.readAccountKeys, account.downloadAccountKey]) {
        await expect(world.automation.asks(contract, {})).rejects.toMatchObject(forbidden);
        await expect(world.person('ANA').asks(contract, {})).rejects.toMatchObject(forbidden);
      }
    });
  });

  describe('sign-up', () => {
    it.each(['person', 'company'] as const)('creates a %s who can sign in at once', async (type) => {
      const card = { display_name: 'Somebody New', language: 'fr' };
      const user: Person | Company = await world.signsUp({ type, region: 'us', email: `New.${type}@World.Example`, ...card });
      const { user_id, public_key } = user;

      expect(await user.asks(account.readAccount, {})).toMatchObject({
        user_id,
        type,
        email: `new.${type}@world.example`,
        level: 'free',
        region: 'us',
        api_url: world.regionUrl('us'),
      });
      const profile = await user.asks(account.readProfile, {});
      expect(profile).toMatchObject({ user_id, ...card, public_key, moving_to: null });
      expect(profile.share_code).toMatch(/^[A-Z0-9]{8}$/);
    });

    /** Begins a sign-up, from another network address than usual if one is given. */
    const begins = (over: object = {}, from?: string) => {
      const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
      const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations } };
      const body = { type: 'person', password: 'a horse that nobody knows', display_name: 'Somebody', region: 'eu', ...keys } as const;
      return world.stranger.asks(
        identity.signUp,
        { body: { ...body, email: 'somebody@world.example', ...over } },
        { ...(from && { from }) },
      );
    };
    const confirms = (signUpId: string, code: string) =>
      world.stranger.asks(identity.confirmSignUp, { params: { signUpId }, body: { code } });

    it('answers alike for an address that is taken, and mails only its owner', async () => {
      const free = await begins({ email: 'free@world.example' });
      const taken = await begins({ email: 'ANA@Demo.Example' });

      const shape = { sign_up_id: expect.stringMatching(/^sup_/), confirm_by: free.confirm_by };
      expect([free, taken]).toEqual([shape, shape]);
      const mails = await world.mails();
      expect(mails.filter(({ to }) => to === 'ana@demo.example')).toMatchObject([{ subject: 'You already have an account' }]);
      expect(mails.filter(({ to }) => to === 'free@world.example')).toMatchObject([{ sign_up_id: free.sign_up_id }]);
      await expect(confirms(taken.sign_up_id, 'AB23CD45')).rejects.toMatchObject({ key: 'account.code_invalid', status: 400 });
    });

    it('creates an account only by the mailed code, and refuses it after five wrong codes', async () => {
      const email = 'coded@world.example';
      const [first, second] = [await begins({ email }), await begins({ email }, '192.0.2.1')];
      const code = await world.codeOf(first.sign_up_id);
      const wrong = { key: 'account.code_invalid', status: 400 };

      await expect(confirms(second.sign_up_id, code)).rejects.toMatchObject(wrong);
      await expect(confirms('sup_unknown', code)).rejects.toMatchObject(wrong);
      const body = { code, email: 'coded@world.example' };
      const asksMore = world.stranger.asks(identity.confirmSignUp, { params: { signUpId: first.sign_up_id }, body });
      await expect(asksMore).rejects.toMatchObject({ key: 'request.invalid' });
      for (let nth = 0; nth < 5; nth++) await expect(confirms(first.sign_up_id, `WRONG22${nth}`)).rejects.toMatchObject(wrong);
      await expect(confirms(first.sign_up_id, code)).rejects.toMatchObject(wrong);

      const made = await confirms(second.sign_up_id, await world.codeOf(second.sign_up_id));
      expect(made).toMatchObject({ email: 'coded@world.example' });
      await expect(confirms(second.sign_up_id, code)).rejects.toMatchObject(wrong);
    });

    it('is refused on confirmation when another sign-up with the same address was confirmed first', async () => {
      const email = 'raced@world.example';
      const [first, second] = [await begins({ email }), await begins({ email }, '192.0.2.1')];
      await confirms(first.sign_up_id, await world.codeOf(first.sign_up_id));

      await expect(confirms(second.sign_up_id, await world.codeOf(second.sign_up_id))).rejects.toMatchObject({
        key: 'account.email_taken',
        status: 409,
      });
    });

    describe('asked for again and again', () => {
      const tooMany = { key: 'rate_limit.exceeded', status: 429, retryAfter: expect.any(Number) };
      const mailsTo = async (address: string) => (await world.mails()).filter(({ to }) => to === address);
      const rowsOf = (address: string) =>
        many<{ source: string }>(frontDoor, sql`select source from pending_sign_up where email = ${address}`);

      it('from one network address keeps one sign-up, whose newest code counts, and mails five codes in a day', async () => {
        const email = 'repeated@world.example';
        const begun = [];
        for (let nth = 0; nth < 5; nth++) begun.push(await begins({ email }));
        await expect(begins({ email })).rejects.toMatchObject(tooMany);

        expect(await rowsOf(email)).toHaveLength(1);
        expect((await mailsTo(email)).map(({ sign_up_id }) => sign_up_id)).toEqual([begun[4]!.sign_up_id]);
        await expect(confirms(begun[3]!.sign_up_id, 'AB23CD45')).rejects.toMatchObject({ key: 'account.code_invalid' });
        const newest = begun[4]!.sign_up_id;
        expect(await confirms(newest, await world.codeOf(newest))).toMatchObject({ email });
      });

      it('by strangers from many network addresses does not keep the owner of the address from signing up', async () => {
        const email = 'flooded@world.example';
        for (let nth = 0; nth < 12; nth++) {
          await begins({ email }, `192.0.2.${nth}`);
          if (nth < 8) await begins({ email }, `192.0.2.${nth}`);
        }
        const strangers = begins({ email }, '192.0.2.11');
        await expect(strangers).rejects.toMatchObject(tooMany);

        const { sign_up_id } = await begins({ email }, '198.51.100.7');
        expect(await confirms(sign_up_id, await world.codeOf(sign_up_id))).toMatchObject({ email });
      });

      it('for an address that has an account is answered and refused alike', async () => {
        const email = 'ben@demo.example';
        for (let nth = 0; nth < 5; nth++) expect(await begins({ email })).toMatchObject({ sign_up_id: expect.stringMatching(/^sup_/) });

        await expect(begins({ email })).rejects.toMatchObject(tooMany);
      });

      it('leaves a bounded number of rows for one network address, and none when a day is over', async () => {
        await execute(
          frontDoor,
          sql`insert into pending_sign_up (sign_up_id, email, code_hash, password_hash, wanted, created_at, expires_at, source)
              select 'sup_filled_' || n, n || '@world.example', 'x', 'x', '{}', ${world.now}::timestamptz + n * interval '1 second',
                     ${world.now}::timestamptz + interval '1 day', '192.0.2.77'
                from generate_series(1, 200) n`,
        );
        await expect(begins({ email: 'one-more@world.example' }, '192.0.2.77')).rejects.toMatchObject(tooMany);
        expect(await rowsOf('one-more@world.example')).toEqual([]);
        expect(await begins({ email: 'one-more@world.example' }, '192.0.2.78')).toMatchObject({ sign_up_id: expect.any(String) });

        await new SignUpStore(frontDoor).deleteBeyond(10);
        expect(await many(frontDoor, sql`select 1 from pending_sign_up`)).toHaveLength(10);
        await new SignUpStore(frontDoor).deleteExpired(new Date(world.now.getTime() + 86_400_000), 1000);
        expect(await many(frontDoor, sql`select 1 from pending_sign_up`)).toEqual([]);
      });
    });

    it.each([
      ['an address that is none', { email: 'ana at home' }, 'account.email_invalid'],
      ['a short password', { password: 'nine char' }, 'account.password_weak'],
      ['a known password', { password: 'qwertyuiop' }, 'account.password_weak'],
      ['a password with a NUL', { password: 'correct horse\u0000battery' }, 'account.password_weak'],
      ['a password with half of a character', { password: 'correct horse\ud800battery' }, 'account.password_weak'],
      ['the address as password', { email: 'somebody@world.example', password: 'Somebody@world.example' }, 'account.password_weak'],
      ['a region that is none', { region: 'mars' as never }, 'account.region_unknown'],
      ['a blank name', { display_name: '  ' }, 'request.invalid'],
      ["a share code of one's choice", { share_code: 'BEST' } as never, 'request.invalid'],
    ])('refuses %s', async (_, wrong: object, key) => {
      await expect(world.signsUp({ type: 'person', ...wrong })).rejects.toMatchObject({ key, status: 400 });
    });

    it('refuses a key that is not RSA-2048, or is wrapped with other parameters', async () => {
      const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
      const body = {
        type: 'person',
        email: 'keyless@world.example',
        password: 'correct horse battery staple',
        display_name: 'Keyless',
        region: 'eu',
        public_key,
        encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations },
      } as const;
      const refused = { key: 'account.key_invalid', status: 400 };
      const asks = (change: object) => world.stranger.asks(identity.signUp, { body: { ...body, ...change } });

      await expect(asks({ public_key: Buffer.from('no key at all').toString('base64') })).rejects.toMatchObject(refused);
      await expect(asks({ public_key: public_key.replace(/^.{4}/, 'AAAA') })).rejects.toMatchObject(refused);
      await expect(asks({ public_key: undefined })).rejects.toMatchObject(refused);
      await expect(asks({ encrypted_private_key: { ...encrypted_private_key, iter: 1000 } })).rejects.toMatchObject(refused);
      for (const data of [clearKey(2048).export({ type: 'pkcs1', format: 'der' }), Buffer.from('ten bytes!')]) {
        const sent = asks({ encrypted_private_key: { ...body.encrypted_private_key, data: data.toString('base64') } });
        await expect(sent).rejects.toMatchObject({ ...refused, message: expect.stringMatching(/^encrypted_private_key\.data: /) });
      }

      expect(await asks({})).toMatchObject({ sign_up_id: expect.any(String) });
    });

    it('is refused in a region that is paused or out of order, and succeeds afterwards @spec D1-7', async () => {
      const operator = await world.operator('platform');
      const email = 'later@world.example';
      const signsUp = () => world.signsUp({ type: 'person', region: 'us', email });
      const refusedWith = (key: string) =>
        eventually(() =>
          signsUp().then(
            () => undefined,
            (refusal: Refusal) => (refusal.key === key ? refusal : undefined),
          ),
        );

      const { sign_up_id } = await begins({ email: 'begun@world.example', region: 'us' });
      const code = await world.codeOf(sign_up_id);
      await operator.request(OPERATOR.setMode, {}, { region: 'us', out_of_order: true });
      expect(await refusedWith('platform.out_of_order')).toMatchObject({ status: 503, retryAfter: 300 });
      await expect(confirms(sign_up_id, code)).rejects.toMatchObject({ key: 'platform.out_of_order' });
      expect(await world.signsUp({ type: 'person', region: 'eu', email: 'elsewhere@world.example' })).toMatchObject({ region: 'eu' });
      await operator.request(OPERATOR.setMode, {}, { region: 'us', out_of_order: false, writes_paused: true });
      expect(await refusedWith('db.writes_paused')).toMatchObject({ status: 503, retryAfter: 30 });
      await expect(confirms(sign_up_id, code)).rejects.toMatchObject({ key: 'db.writes_paused' });

      await operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: false });
      expect(await eventually(() => signsUp().catch(() => undefined))).toMatchObject({ region: 'us' });
      expect(await confirms(sign_up_id, code)).toMatchObject({ region: 'us' });
    });

    it('is refused by a region with 421 and the URL of the front door @spec D1-5.6', async () => {
      const there = { key: 'region.rebase_required', status: 421, extras: { api_url: world.frontDoorUrl } };

      await expect(world.stranger.asks(identity.signUp, { body: {} as never }, { at: world.regionUrl('eu') })).rejects.toMatchObject(there);
    });

    it('succeeds for one of thirty concurrent confirmations with the same address', async () => {
      const wanted = { type: 'person', email: 'wanted@world.example' } as const;
      const begun = await Promise.all(Array.from({ length: 5 }, (_, nth) => begins(wanted, `192.0.2.${nth}`)));
      const codes = await Promise.all(begun.map(async ({ sign_up_id }) => [sign_up_id, await world.codeOf(sign_up_id)] as const));
      const tries = await Promise.allSettled(Array.from({ length: 30 }, (_, nth) => confirms(...codes[nth % 5]!)));

      const won = tries.filter(({ status }) => status === 'fulfilled');
      const keys = tries.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { key?: string }).key] : []));
      expect(won).toHaveLength(1);
      // While five others confirm the same sign-up, it takes no more codes.
      expect(['account.email_taken', 'account.code_invalid']).toEqual(expect.arrayContaining([...new Set(keys)]));
      expect(keys).toContain('account.email_taken');
    });
  });
});
