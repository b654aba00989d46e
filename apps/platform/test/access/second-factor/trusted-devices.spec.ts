import {
  account,
  accountSecurity,
  FRONT_DOOR,
  identity,
  MAX_TRUSTED_DEVICES,
  OPERATOR,
  personSecurity,
  phones,
  tokens,
  TRUSTED_BROWSER_DAYS,
  type Refusal,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { eventually, World, type Company, type Person, type User } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { TrustedBrowsersStore } from '../../../src/access/second-factor/trusted-browsers.store.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { claimsOf, phone, portal, refresh, signIn } from '../../support/oauth-visitor.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';
import { TrustingBrowser } from '../../support/trusting-browser.ts';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

const RATE_LIMITS = JSON.stringify({ token: { burst: 10_000, per_second: 1000 } });
const DAY_HOURS = 24;

describe('trusted devices @spec D1-5.8 @gap D1-5.8', () => {
  let world: World;
  let db: DataSource;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    for (const unit of ['front-door', 'region-eu', 'region-us'] as const) await world.starts(unit, { RATE_LIMITS });
    db = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
    operator = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const notFound = refused('account.device_not_found', 404);
  const clock = () => world.now;
  async function protectedPerson(): Promise<Person> {
    const person = await world.signsUp({ type: 'person', region: 'eu' });
    await person.secondFactor.switchesOn(clock);
    return person;
  }
  async function protectedCompany(): Promise<Company> {
    const company = await world.signsUp({ type: 'company', region: 'us' });
    await company.secondFactor.switchesOn(clock);
    return company;
  }
  const rowsOf = (table: 'trusted_browser' | 'phone', { user_id }: User) =>
    many<{ device_id: string }>(db, { text: `select * from ${table} where user_id = $1`, values: [user_id] });

  describe('a trusted browser', () => {
    const browsersOf = async (person: Person) => (await person.asks(personSecurity.listPersonTrustedBrowsers, {})).items;

    it('skips the code for thirty days, while another browser still needs it', async () => {
      const [person, browser, other] = [await protectedPerson(), new TrustingBrowser(world), new TrustingBrowser(world)];

      const cookie = await browser.isTrusted(person, phone(world));

      expect(cookie).toMatch(/^codase_trusted_[0-9a-f]{16}=[\w-]{43}; Path=\/oauth2\/authorize; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
      expect(await browser.skipsCode(person, phone(world))).toBe(true);
      expect(await other.skipsCode(person, phone(world))).toBe(false);
      await world.passes({ hours: TRUSTED_BROWSER_DAYS * DAY_HOURS - 1 });
      expect(await browser.skipsCode(person, phone(world))).toBe(true);
      await world.passes({ hours: 1 });
      expect(await browser.skipsCode(person, phone(world))).toBe(false);
    });

    it('is listed by name with its last use, and can be forgotten', async () => {
      const [person, company] = [await protectedPerson(), await protectedCompany()];
      const [phones_, desk] = [new TrustingBrowser(world), new TrustingBrowser(world, 'curl/8')];
      await phones_.isTrusted(person, phone(world));
      await desk.isTrusted(company, portal(world));
      const created_at = world.now.toISOString();
      await world.passes({ minutes: 10 });
      expect(await phones_.skipsCode(person, phone(world))).toBe(true);

      const [ofPerson] = await browsersOf(person);
      expect(ofPerson).toEqual({ id: expect.any(String), name: 'Firefox on Linux', created_at, last_seen_at: world.now.toISOString() });
      const { items } = await company.asks(accountSecurity.listTrustedDevices, {});
      expect(items).toEqual([{ id: expect.any(String), name: 'A browser', created_at, last_seen_at: created_at }]);

      await company.asks(accountSecurity.forgetTrustedDevice, { params: { deviceId: items[0]!.id } });
      await person.asks(personSecurity.forgetPersonTrustedBrowser, { params: { deviceId: ofPerson!.id } });

      expect(await browsersOf(person)).toEqual([]);
      expect(await phones_.skipsCode(person, phone(world))).toBe(false);
      expect(await desk.skipsCode(company, portal(world))).toBe(false);
      const again = company.asks(accountSecurity.forgetTrustedDevice, { params: { deviceId: items[0]!.id } });
      await expect(again).rejects.toEqual(notFound);
    });

    it('is neither listed nor forgotten nor usable by another account', async () => {
      const [person, other, company] = [await protectedPerson(), await protectedPerson(), await protectedCompany()];
      const browser = new TrustingBrowser(world);
      await browser.isTrusted(person, phone(world));
      const { id } = (await browsersOf(person))[0]!;

      expect(await browsersOf(other)).toEqual([]);
      await expect(other.asks(personSecurity.forgetPersonTrustedBrowser, { params: { deviceId: id } })).rejects.toEqual(notFound);
      await expect(company.asks(accountSecurity.forgetTrustedDevice, { params: { deviceId: id } })).rejects.toEqual(notFound);
      await expect(other.asks(personSecurity.forgetPersonTrustedBrowser, { params: { deviceId: '../x' } })).rejects.toEqual(notFound);
      await expect(company.asks(accountSecurity.forgetTrustedDevice, { params: { deviceId: "'" } })).rejects.toEqual(notFound);
      const token = /=([\w-]{43})/.exec(browser.cookie)![1]!;
      const others = /^(codase_trusted_[0-9a-f]{16})/.exec(await new TrustingBrowser(world).isTrusted(other, phone(world)))![1]!;
      const forged = new TrustingBrowser(world);
      forged.set(`${others}=${token}`);
      expect(await forged.skipsCode(other, phone(world))).toBe(false);
      expect(await browser.skipsCode(person, phone(world))).toBe(true);
    });

    it('can be trusted for several accounts', async () => {
      const [person, company, browser] = [await protectedPerson(), await protectedCompany(), new TrustingBrowser(world)];
      await browser.isTrusted(person, phone(world));
      await browser.isTrusted(company, portal(world));
      expect(await browser.skipsCode(person, phone(world))).toBe(true);
      expect(await browser.skipsCode(company, portal(world))).toBe(true);
    });

    it('still requires the right password', async () => {
      const [person, browser] = [await protectedPerson(), new TrustingBrowser(world)];
      await browser.isTrusted(person, phone(world));
      const { status, step, html } = await browser.enters({ email: person.email, password: 'a wrong password' }, phone(world));
      expect([status, step]).toEqual([403, undefined]);
      expect(html).toContain('The e-mail address or the password is wrong');
    });

    it("is not trusted after a wrong code, or without the user's choice", async () => {
      const [person, browser] = [await protectedPerson(), new TrustingBrowser(world)];
      const { form, step } = await browser.enters(person, phone(world));
      const wrong = await browser.posts({ ...form, step: step!, code: 'ABCDEFGHJK', trust_browser: 'yes' });
      expect([wrong.status, wrong.headers['set-cookie']]).toEqual([403, undefined]);
      const right = await browser.posts({ ...form, step: step!, code: await person.secondFactor.nextCode() });
      expect([right.status, right.headers['set-cookie']]).toEqual([303, undefined]);
      expect(await browsersOf(person)).toEqual([]);
      const odd = await browser.posts({ ...form, step: step!, code: '123456', trust_browser: 'always' });
      expect(odd.status).toBe(400);
    });

    it.each([
      [
        'another password',
        async (person: Person) => {
          const new_password = 'seven lamps by the river';
          const code = await person.secondFactor.nextCode();
          await person.asks(personSecurity.changePersonPassword, { body: { password: person.password, new_password, code } });
          return { email: person.email, password: new_password };
        },
      ],
      [
        'another address',
        async (person: Person) => {
          const email = `new-${person.email}`;
          const given = { password: person.password, code: await person.secondFactor.nextCode() };
          await person.asks(personSecurity.requestPersonEmailChange, { body: { email, ...given } });
          const { code } = (await world.mails()).find(({ to }) => to === email)!;
          await person.asks(personSecurity.confirmPersonEmailChange, { body: { code: code! } });
          return { email, password: person.password };
        },
      ],
      [
        'another second factor',
        async (person: Person) => {
          await world.passes({ minutes: 2 });
          await person.secondFactor.switchesOff();
          await person.secondFactor.switchesOn(clock);
          return person;
        },
      ],
      [
        'an operator who switches the second factor off',
        async (person: Person) => {
          await operator.request(OPERATOR.switchSecondFactorOff, {}, { user_id: person.user_id });
          await world.passes({ minutes: 2 });
          await person.secondFactor.switchesOn(clock);
          return person;
        },
      ],
    ])('is no longer trusted after %s', async (_, changes) => {
      const [person, browser] = [await protectedPerson(), new TrustingBrowser(world)];
      await browser.isTrusted(person, phone(world), person.secondFactor.backupCodes[0]);
      expect(await browser.skipsCode(person, phone(world))).toBe(true);

      const credentials = await changes(person);

      expect(await browser.skipsCode(credentials, phone(world))).toBe(false);
      expect(await rowsOf('trusted_browser', person)).toEqual([]);
    });

    it('is not trusted when the password changes while the code is entered', async () => {
      const [person, browser] = [await protectedPerson(), new TrustingBrowser(world)];
      const { form, step } = await browser.enters(person, phone(world));
      const code = await person.secondFactor.nextCode();
      const others = await world.opensDatabase('front_door');

      let answer!: ReturnType<TrustingBrowser['posts']>;
      await inOwnTransaction(db, async (tx) => {
        await execute(tx, sql`select 1 from account where user_id = ${person.user_id} for update`);
        await execute(tx, sql`update account set password_hash = 'another' where user_id = ${person.user_id}`);
        answer = browser.posts({ ...form, step: step!, code, trust_browser: 'yes' });
        await eventually(async () => (await lockWaits(others, 'transactionid')) > 0 || undefined);
      });
      await others.destroy();

      const { status, headers } = await answer;
      expect([status, headers['set-cookie']]).toEqual([403, undefined]);
      expect(await rowsOf('trusted_browser', person)).toEqual([]);
    });

    it('is one of at most fifty per account, of which the oldest is forgotten; its secret is not stored', async () => {
      const person = await protectedPerson();
      const store = new TrustedBrowsersStore(db);
      const browser = new TrustingBrowser(world);
      const cookie = await browser.isTrusted(person, phone(world));
      const row = await one<{ token_hash: string; expires_at: Date }>(
        db,
        sql`select * from trusted_browser where user_id = ${person.user_id}`,
      );
      expect(cookie).not.toContain(row!.token_hash);
      for (let nth = 1; nth <= MAX_TRUSTED_DEVICES; nth++)
        await store.add(
          db.manager,
          {
            device_id: `dev_${person.user_id}_${nth}`.slice(-60),
            user_id: person.user_id,
            token_hash: `${person.user_id} ${nth}`,
            name: 'A browser',
            created_at: new Date(world.now.getTime() + nth),
            expires_at: row!.expires_at,
          },
          MAX_TRUSTED_DEVICES,
        );

      expect(await browsersOf(person)).toHaveLength(MAX_TRUSTED_DEVICES);
      expect(await browser.skipsCode(person, phone(world))).toBe(false);
      await execute(db, store.deleteExpired(new Date(row!.expires_at.getTime() - 1), 1000));
      expect(await rowsOf('trusted_browser', person)).toHaveLength(MAX_TRUSTED_DEVICES);
      await execute(db, store.deleteExpired(row!.expires_at, 1000));
      expect(await rowsOf('trusted_browser', person)).toEqual([]);
    });

    it('is deleted with the account', async () => {
      const [person, browser] = [await protectedPerson(), new TrustingBrowser(world)];
      await browser.isTrusted(person, phone(world));
      await person.phone.registers("Ana's phone");
      await world.passes({ minutes: 2 });
      await person.phone.requestsDeletion({ code: await person.secondFactor.code() });
      await person.phone.confirmsDeletion(
        (await world.mails()).find(({ to, subject }) => to === person.email && subject.includes('deletes'))!.code!,
      );
      expect(await rowsOf('trusted_browser', person)).toEqual([]);
      expect(await rowsOf('phone', person)).toEqual([]);
    });
  });

  describe('a registered phone @spec D1-3.1', () => {
    const newPerson = () => world.signsUp({ type: 'person', region: 'eu' });
    /** Adds open sessions, which began later than those that the person has. */
    async function addsSessions({ user_id }: Person, number: number): Promise<void> {
      await execute(
        db,
        sql`
        with begun as (
          insert into session (session_id, client_id, user_id, epoch, created_at)
          select 'ses_many_' || n || ${user_id}, 'app_person', ${user_id}, epoch, ${world.now}::timestamptz
            from client, generate_series(1, ${number}::integer) n where client_id = 'app_person'
          returning session_id)
        insert into refresh_token (token_hash, session_id, expires_at)
        select session_id, session_id, ${new Date(world.now.getTime() + 3_600_000)}::timestamptz from begun`,
      );
    }
    const other = async (person: Person) => {
      const signedIn = await signIn(phone(world), person, world.stranger);
      return { ...signedIn, options: { at: world.regionUrl('eu'), token: signedIn.access_token } };
    };

    it('is registered by name, receives the wrapped key, and is listed with its last use', async () => {
      const person = await newPerson();
      const second = await other(person);
      const created_at = world.now.toISOString();

      const { device, keys } = await person.phone.registers("Ana's phone");
      const tablet = await world.stranger.asks(phones.addPhone, { body: { name: 'Tablet' } }, second.options);

      expect(device).toEqual({ id: expect.any(String), name: "Ana's phone", created_at, last_seen_at: expect.any(String) });
      expect(keys).toEqual({ public_key: person.public_key, encrypted_private_key: expect.objectContaining({ data: expect.any(String) }) });
      expect(await person.phone.phones()).toEqual(expect.arrayContaining([device, tablet.device]));
      await world.passes({ minutes: 10 });
      await world.stranger.asks(tokens.issueToken, refresh(phone(world), second.refresh_token!));
      const [seen] = (await person.phone.phones()).filter(({ id }) => id === tablet.device.id);
      expect(seen).toMatchObject({ name: 'Tablet', created_at, last_seen_at: world.now.toISOString() });
    });

    it('is registered once per session, and can be renamed', async () => {
      const person = await newPerson();
      const [first, second] = await Promise.all([person.phone.registers('One'), person.phone.registers('Two')]);
      const third = await person.phone.registers('Three');

      expect(new Set([first.device.id, second.device.id, third.device.id]).size).toBe(1);
      expect(await person.phone.phones()).toMatchObject([{ id: third.device.id, name: 'Three' }]);
    });

    it('is recorded in the audit when it is added, not when it is renamed', async () => {
      const person = await newPerson();
      const { device } = await person.phone.registers('One');
      await person.phone.registers('Two');
      const added = sql`select object from audit.entry where account_id = ${person.user_id} and act = 'trusted_device.added'`;
      expect(await many(db, added)).toEqual([{ object: device.id }]);
    });

    it('is found among any number of sessions', async () => {
      const person = await newPerson();
      const { device } = await person.phone.registers('At hand');
      await world.passes({ minutes: 1 });
      await addsSessions(person, 250);
      expect(await person.phone.phones()).toEqual([device]);
      expect((await person.phone.registers('Still at hand')).device.id).toBe(device.id);
    });

    it('is removed by a later registration once its session has ended', async () => {
      const person = await newPerson();
      await person.phone.registers('At hand');
      for (let nth = 0; nth < 3; nth++) {
        const second = await other(person);
        await world.stranger.asks(phones.addPhone, { body: { name: 'Tablet' } }, second.options);
        await person.asks(tokens.endSession, { params: { sessionId: String(claimsOf(second.access_token)['sid']) } });
      }
      await person.phone.registers('Here');
      expect(await rowsOf('phone', person)).toHaveLength(1);
    });

    it('is signed out at once when it is removed, and receives no more events', async () => {
      const person = await newPerson();
      const lost = await other(person);
      const { device } = await world.stranger.asks(phones.addPhone, { body: { name: 'Lost' } }, lost.options);
      await person.phone.registers('At hand');
      const stream = person.phone.listens(lost.options);
      await stream.hears('reset');

      await person.phone.removes(device);

      await stream.over;
      const reads = () => world.stranger.asks(account.readProfile, {}, lost.options);
      await eventually(() =>
        reads().then(
          () => undefined,
          () => true,
        ),
      );
      await expect(reads()).rejects.toEqual(refused('auth.token_invalid', 401));
      await expect(world.stranger.asks(phones.addPhone, { body: { name: 'Again' } }, lost.options)).rejects.toEqual(
        refused('auth.token_invalid', 401),
      );
      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), lost.refresh_token!))).rejects.toEqual(
        refused('oauth.invalid_grant', 400),
      );
      expect(await person.phone.phones()).toMatchObject([{ name: 'At hand' }]);
      await expect(person.phone.removes(device)).rejects.toEqual(notFound);
    });

    it('is neither listed nor removed by another person', async () => {
      const [person, mallory] = [await newPerson(), await newPerson()];
      const { device } = await person.phone.registers('Mine');
      expect(await mallory.phone.phones()).toEqual([]);
      await expect(mallory.phone.removes(device)).rejects.toEqual(notFound);
      await expect(mallory.phone.removes({ id: 'dev_nobody' })).rejects.toEqual(notFound);
      await expect(mallory.phone.removes({ id: "x' or 1=1" })).rejects.toEqual(notFound);
      const session_id = (await one<{ session_id: string }>(db, sql`select session_id from phone where device_id = ${device.id}`))!
        .session_id;
      const steals = operator.request(FRONT_DOOR.addPhone, { region: 'eu' }, { user_id: mallory.user_id, session_id, name: 'x' });
      await expect(steals).rejects.toEqual(refused('auth.token_invalid', 401));
      expect(await person.phone.phones()).toMatchObject([{ name: 'Mine' }]);
    });

    it('is no longer listed when its session has ended in another way', async () => {
      const person = await newPerson();
      const second = await other(person);
      await world.stranger.asks(phones.addPhone, { body: { name: 'Tablet' } }, second.options);
      await person.asks(tokens.endSession, { params: { sessionId: String(claimsOf(second.access_token)['sid']) } });
      expect(await person.phone.phones()).toEqual([]);
      const row = (await rowsOf('phone', person))[0]!;
      await person.phone.removes({ id: row.device_id });
      expect(await rowsOf('phone', person)).toEqual([]);
    });

    it('requires a session of its own, a valid name, and a person', async () => {
      const [person, company] = [await newPerson(), await world.signsUp({ type: 'company', region: 'us' })];
      const token = await world.mints({ client_id: 'app_person', sub: person.user_id });
      const withoutSession = world.stranger.asks(phones.addPhone, { body: { name: 'x' } }, { at: world.regionUrl('eu'), token });
      await expect(withoutSession).rejects.toEqual(refused('auth.token_invalid', 401));
      for (const name of ['', '   ', 'a\nb', 'x'.repeat(300), '\u0000'])
        await expect(person.phone.registers(name)).rejects.toEqual(refused('request.invalid', 400));
      await expect(company.asks(phones.listPhones, {})).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
      await expect(person.asks(accountSecurity.listTrustedDevices, {})).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
      await expect(operator.request(FRONT_DOOR.listPhones, { region: 'us' }, { user_id: person.user_id })).rejects.toEqual(
        refused('region.rebase_required', 421),
      );
    });

    it('is refused when the account has fifty', async () => {
      const person = await newPerson();
      await person.signsIn();
      await addsSessions(person, MAX_TRUSTED_DEVICES);
      await execute(
        db,
        sql`insert into phone (device_id, user_id, session_id, name, created_at)
            select 'dev' || session_id, user_id, session_id, 'x', created_at
              from session where user_id = ${person.user_id} and session_id like 'ses_many_%'`,
      );
      await expect(person.phone.registers('One too many')).rejects.toEqual(refused('account.too_many_devices', 409));
      const [first] = await person.phone.phones();
      await person.phone.removes(first!);
      expect((await person.phone.registers('Now')).device.name).toBe('Now');
    });
  });

  it('are not created by a denied sign-in, which sets no cookie', async () => {
    const answer = await new TrustingBrowser(world).posts({
      client_id: 'app_person',
      redirect_uri: phone(world).redirect_uri,
      response_type: 'code',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      decision: 'deny',
      trust_browser: 'yes',
    });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([303, undefined]);
    expect(identity.authorize.status).toBe(303);
  });
});
