import {
  account,
  accountClients,
  accountSecurity,
  AUTHENTICATOR_MINUTES,
  FRONT_DOOR,
  identity,
  KEY_WRAP,
  OPERATOR,
  personSecurity,
  phones,
  recovery,
  SIGN_IN_STEP_MINUTES,
  tokens,
  type Refusal,
  type Request,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, World, type CallOptions, type Company, type Person, type User } from '@codase/testing';
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { secondFactorKeyOf } from '../../../src/access/identity/index.ts';
import { keyList } from '../../../src/kit/secrets/key-list.ts';
import { newSealingKey, sealToProcess } from '../../../src/kit/secrets/process-seal.ts';
import { FactorKeysCheck } from '../../../src/access/second-factor/factor-keys-check.worker.ts';
import { FactorKeysState } from '../../../src/access/second-factor/factor-keys-state.ts';
import { FactorSecrets } from '../../../src/access/second-factor/factor-secrets.service.ts';
import { SecondFactorsStore } from '../../../src/access/second-factor/second-factors.store.ts';
import { SignInStepsStore } from '../../../src/accounts/sign-in/sign-in-steps.store.ts';
import { StoredSecrets } from '../../../src/kit/secrets/stored-secrets.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { browses, CALLBACK, crm, phone, portal, proof, withRedirect } from '../../support/oauth-visitor.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';
import { TrustingBrowser } from '../../support/trusting-browser.ts';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

/** The limit by address is not what is tested here: the tests call from few addresses, and their clock stands still. */
const SETTINGS = { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: JSON.stringify({ token: { burst: 10_000, per_second: 1000 } }) };
const MINUTE_MS = 60_000;

type App = ReturnType<typeof phone>;
type Form = Request<typeof identity.authorize>['body'];

describe('the second factor of an account @spec D1-5.8 @gap D1-5.8', () => {
  let world: World;
  let db: DataSource;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    for (const unit of ['front-door', 'region-eu', 'region-us'] as const) await world.starts(unit, SETTINGS);
    db = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
    operator = await world.operator('platform');
    await withRedirect(world, world.shop);
    await withRedirect(world, world.automation);
  });
  afterAll(() => world?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const codeInvalid = refused('account.code_invalid', 400);
  const codeRequired = refused('account.code_required', 403);
  const wrongState = refused('account.second_factor_state', 409);
  const tooMany = refused('rate_limit.exceeded', 429);
  const denied = refused('oauth.access_denied', 403);
  const clock = () => world.now;

  const newPerson = (): Promise<Person> => world.signsUp({ type: 'person', region: 'eu' });
  const newCompany = (): Promise<Company> => world.signsUp({ type: 'company', region: 'us' });
  async function protectedPerson(): Promise<Person> {
    const person = await newPerson();
    await person.secondFactor.switchesOn(clock);
    return person;
  }
  const formOf = ({ client_id, redirect_uri }: App) => ({
    client_id,
    redirect_uri,
    response_type: 'code',
    state: 'xyz',
    code_challenge: proof().code_challenge,
    code_challenge_method: 'S256' as const,
  });
  const posts = (body: Form, options: CallOptions = {}) => world.stranger.asks(identity.authorize, { body }, options);
  const credentials = ({ email, password }: Pick<User, 'email' | 'password'>) => ({ email, password });
  const keyOf = (work: Promise<unknown>) =>
    work.then(
      () => 'signed in',
      ({ key }: { key: string }) => key,
    );
  /** Gives the right password, and returns the step that waits for the code. */
  async function begins(user: Pick<User, 'email' | 'password'>, form: Form = formOf(phone(world)), options: CallOptions = {}) {
    const error = (await posts({ ...form, ...credentials(user) }, options).catch((thrown: unknown) => thrown)) as Refusal;
    expect(error).toEqual(codeRequired);
    return { ...form, step: (error.extras as { step: string }).step };
  }
  const wrongCode = async ({ secondFactor }: User) => {
    const right = new Set(await Promise.all([-1, 0, 1].map((steps) => secondFactor.code(steps))));
    return ['000000', '111111', '222222', '333333'].find((code) => !right.has(code))!;
  };
  const subjectsTo = async (address: string) => (await world.mails()).filter(({ to }) => to === address).map(({ subject }) => subject);
  const audited = (user: User, act: string) =>
    many<{ outcome: string; initiator: string; address: string | null }>(
      db,
      sql`select outcome, initiator, address from audit.entry where account_id = ${user.user_id} and act = ${act} order by seq`,
    );
  const factorOf = ({ user_id }: User) =>
    one<{ factor_id: string; sealed_secrets: string; last_step: string }>(db, sql`select * from second_factor where user_id = ${user_id}`);

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('a code signs in only one of two requests at different replicas, and a killed replica changes nothing', async () => {
    const nameOf = async () => (await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {})).replica;
    const first = await nameOf();
    const replica = await world.startsReplica('front-door');
    const at = [world.frontDoorUrl, `http://127.0.0.1:${replica.unit.env['PORT']}`];
    /** The clock of the replica goes on. That of the world follows, and what the replica counted a moment later is forgotten. */
    const follows = async () => {
      await world.passes({ seconds: (Date.now() - world.now.getTime()) / 1000 });
      await execute(db, sql`delete from password_failures`);
    };
    for (const useBackupCode of [false, true, false]) {
      const person = await newPerson();
      await follows();
      await person.secondFactor.begins(clock);
      await follows();
      const { backup_codes } = await person.secondFactor.confirms(await person.secondFactor.code());
      await follows();
      const forms = [await begins(person), await begins(person)];
      await follows();
      const code = useBackupCode ? backup_codes[0]! : await person.secondFactor.code(1);
      const done = await Promise.all(forms.map((form, n) => keyOf(posts({ ...form, code }, { at: at[n]! }))));
      expect(done.filter((outcome) => outcome === 'signed in')).toHaveLength(1);
      expect(['account.code_required', 'rate_limit.exceeded']).toContain(done.find((outcome) => outcome !== 'signed in'));
    }

    await follows();
    const late = await newPerson();
    await late.secondFactor.begins(clock);
    const killed = await eventually(async () => {
      const key = await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {});
      return key.replica === first ? undefined : key;
    });
    const others = await world.opensDatabase('front_door', { pool: 2 });
    await inOwnTransaction(db, async (tx) => {
      await execute(tx, sql`select 1 from account where user_id = ${late.user_id} for update`);
      const sealed = sealToProcess(
        killed.public_key,
        { use: 'codase second factor confirm', owner_id: late.user_id },
        await late.secondFactor.code(),
      );
      const message = { user_id: late.user_id, address: '192.0.2.1', sealed, reply_key: newSealingKey().public_key };
      void operator.request(FRONT_DOOR.confirmSecondFactor, { region: 'eu', replica: killed.replica }, message).catch(() => undefined);
      await eventually(async () => (await lockWaits(others, 'transactionid')) > 0 || undefined);
      await replica.kill();
    });
    await others.destroy();
    await follows();

    expect(await late.secondFactor.reads()).toEqual({ enabled: false, backup_codes_left: 0 });
    expect(await many(db, sql`select 1 from backup_code c join second_factor f using (factor_id) where user_id = ${late.user_id}`)).toEqual(
      [],
    );
    expect(await subjectsTo(late.email)).not.toContain('Sign-in asks for a code now');
    await late.secondFactor.confirms(await late.secondFactor.code());
    expect(await late.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
  });

  describe('setting up the second factor', () => {
    it('requires the password and a first code, shows the backup codes once, and makes sign-in require a code', async () => {
      const person = await newPerson();
      const begun = await person.secondFactor.begins(clock);
      const url = new URL(begun.otpauth_url);
      expect(begun.confirm_by).toBe(new Date(world.now.getTime() + AUTHENTICATOR_MINUTES * MINUTE_MS).toISOString());
      expect(url.href).toMatch(/^otpauth:\/\/totp\//);
      expect(decodeURIComponent(url.pathname)).toContain(person.email);
      expect(await keyOf(posts({ ...formOf(phone(world)), ...credentials(person) }))).toBe('signed in');
      expect(await person.secondFactor.reads()).toEqual({ enabled: false, backup_codes_left: 0 });

      const { backup_codes } = await person.secondFactor.confirms();

      expect(new Set(backup_codes).size).toBe(10);
      for (const code of backup_codes) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{10}$/);
      expect(await person.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
      expect(await keyOf(posts({ ...formOf(phone(world)), ...credentials(person) }))).toBe('account.code_required');
      await person.signsIn();
      expect(await person.asks(account.readProfile, {})).toMatchObject({ user_id: person.user_id });
      expect(await subjectsTo(person.email)).toContain('Sign-in asks for a code now');
      expect(await audited(person, 'second_factor.begun')).toMatchObject([{ outcome: 'done', initiator: person.user_id }]);
      expect(await audited(person, 'second_factor.switched_on')).toMatchObject([{ outcome: 'done', initiator: person.user_id }]);
    });

    it('is possible for a company at the portal, which can switch it off again', async () => {
      const company = await newCompany();
      await company.secondFactor.switchesOn(clock);
      expect(await keyOf(posts({ ...formOf(portal(world)), ...credentials(company) }))).toBe('account.code_required');
      await company.signsIn();
      expect(await company.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });

      await world.passes({ minutes: 2 });
      expect(await company.secondFactor.renews()).toHaveLength(10);
      await company.secondFactor.switchesOff();

      expect(await company.secondFactor.reads()).toEqual({ enabled: false, backup_codes_left: 0 });
      expect(await keyOf(posts({ ...formOf(portal(world)), ...credentials(company) }))).toBe('signed in');
      expect(await subjectsTo(company.email)).toContain('Sign-in no longer asks for a code');
    });

    it('stores no code and no secret as plaintext', async () => {
      const person = await protectedPerson();
      const { sealed_secrets } = (await factorOf(person))!;
      await begins(person);
      const owner = await frontDoorDatabase(world);
      const tables = await many<{ name: string }>(
        owner,
        sql`select table_schema || '.' || table_name as name from information_schema.tables where table_schema in ('public', 'audit')`,
      );
      const rows = await Promise.all(tables.map(({ name }) => many<object>(owner, { text: `select * from ${name}`, values: [] })));
      await owner.destroy();

      const all = JSON.stringify(rows);
      expect(all).toContain(sealed_secrets);
      for (const secret of [...person.secondFactor.backupCodes, await person.secondFactor.code()]) expect(all).not.toContain(`"${secret}"`);
      expect(all).not.toMatch(/secret=[A-Z2-7]{32}/);
      expect(sealed_secrets).not.toMatch(/[A-Z2-7]{32}/);
    });

    it('counts wrong passwords as at sign-in', async () => {
      const [person, company] = [await newPerson(), await newCompany()];
      const wrong = { body: { password: 'a wrong password' } };
      for (let n = 0; n < 5; n++)
        await expect(person.asks(personSecurity.beginPersonSecondFactor, wrong)).rejects.toEqual(refused('account.password_wrong', 403));
      await expect(person.secondFactor.begins(clock)).rejects.toEqual(tooMany);
      await expect(company.asks(accountSecurity.beginSecondFactor, wrong)).rejects.toEqual(refused('account.password_wrong', 403));
      expect(await factorOf(person)).toBeUndefined();
    });

    it('accepts only the newest authenticator, within half an hour', async () => {
      for (const user of [await newPerson(), await newCompany()]) {
        await expect(user.secondFactor.confirms('123456')).rejects.toEqual(wrongState);
        await user.secondFactor.begins(clock);
        const old = await user.secondFactor.code();
        await user.secondFactor.begins();
        await expect(user.secondFactor.confirms(old)).rejects.toEqual(codeInvalid);
        await world.passes({ minutes: AUTHENTICATOR_MINUTES });
        await user.signsIn();
        await expect(user.secondFactor.confirms()).rejects.toEqual(wrongState);

        await user.secondFactor.begins();
        await user.secondFactor.confirms();
        await expect(user.secondFactor.begins()).rejects.toEqual(wrongState);
        await expect(user.secondFactor.confirms()).rejects.toEqual(wrongState);
        expect(await user.secondFactor.reads()).toMatchObject({ enabled: true });
      }
    });

    it('refuses an authenticator that was begun before the password changed', async () => {
      const person = await newPerson();
      await person.secondFactor.begins(clock);
      const body = { password: person.password, new_password: 'seven lamps by the river' };
      await person.asks(personSecurity.changePersonPassword, { body });
      await expect(person.secondFactor.confirms()).rejects.toEqual(wrongState);

      const other = await protectedPerson();
      const code = await other.secondFactor.nextCode();
      await other.asks(personSecurity.changePersonPassword, { body: { ...body, password: other.password, code } });
      expect(await other.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
    });

    it('refuses an authenticator that was begun before the e-mail address changed', async () => {
      const person = await newPerson();
      await person.secondFactor.begins(clock);
      const email = `new-${person.email}`;
      await person.asks(personSecurity.requestPersonEmailChange, { body: { password: person.password, email } });
      const { code } = (await world.mails()).find(({ to }) => to === email)!;
      await person.asks(personSecurity.confirmPersonEmailChange, { body: { code: code! } });
      await expect(person.secondFactor.confirms()).rejects.toEqual(wrongState);
    });

    it('succeeds for one of several concurrent confirmations', async () => {
      const person = await newPerson();
      await person.secondFactor.begins(clock);
      const code = await person.secondFactor.nextCode();

      const done = await Promise.allSettled([1, 2, 3].map(() => person.secondFactor.confirms(code)));

      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const { reason } of done.filter((one) => one.status === 'rejected')) expect(reason).toEqual(wrongState);
      expect(await person.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });

      const forms = await Promise.all(Array.from({ length: 4 }, () => begins(person)));
      const next = await person.secondFactor.nextCode();
      const entered = await Promise.all(forms.map((form) => keyOf(posts({ ...form, code: next }))));
      expect(entered.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'account.code_required'), 'signed in']);
    });

    it('changes nothing when the database fails during the call', async () => {
      const person = await newPerson();
      await person.secondFactor.begins(clock);
      const owner = await frontDoorDatabase(world);
      const constraint = `alter table account_mail add constraint fails check (recipient <> '${person.email}') not valid`;
      await execute(owner, { text: constraint, values: [] });

      await expect(person.secondFactor.confirms()).rejects.toMatchObject({ status: 503 });
      await execute(owner, { text: 'alter table account_mail drop constraint fails', values: [] });

      expect(await person.secondFactor.reads()).toEqual({ enabled: false, backup_codes_left: 0 });
      const { backup_codes } = await person.secondFactor.confirms();
      await execute(owner, { text: constraint, values: [] });
      await expect(person.secondFactor.switchesOff()).rejects.toMatchObject({ status: 503 });
      const form = await begins(person);
      await expect(posts({ ...form, code: backup_codes[0]! })).rejects.toMatchObject({ status: 503 });
      await execute(owner, { text: 'alter table account_mail drop constraint fails', values: [] });
      await owner.destroy();
      expect(await person.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
    });
  });

  describe('the second factor at sign-in', () => {
    it('is entered in a second step, whose page has no password and says what was wrong', async () => {
      const person = await protectedPerson();
      const form = formOf(phone(world));
      const url = `${world.frontDoorUrl}${identity.authorize.path}`;

      const asks = await browses(url, { ...form, ...credentials(person) });
      expect(asks.status).toBe(403);
      expect(asks.html).toContain('Enter your code');
      expect(asks.html).not.toContain(person.password);
      expect(asks.html).not.toContain('name="password"');
      const step = /name="step" value="([^"]+)"/.exec(asks.html)![1]!;
      expect(step).toMatch(/^[\w-]{43}$/);

      const wrong = await browses(url, { ...form, step, code: await wrongCode(person) });
      expect(wrong.status).toBe(403);
      expect(wrong.html).toContain('The code is wrong');
      expect(wrong.html).toContain(step);
      const right = await browses(url, { ...form, step, code: await person.secondFactor.nextCode() });
      expect(right.status).toBe(303);
      expect(right.headers.location).toContain('code=');

      const late = await browses(url, { ...form, step, code: await person.secondFactor.nextCode() });
      expect(late.status).toBe(403);
      expect(late.html).toContain('This took too long, or was answered before');
      expect(late.html).toContain('name="password"');
    });

    it('is not revealed after a wrong password', async () => {
      const person = await protectedPerson();
      await expect(posts({ ...formOf(phone(world)), email: person.email, password: 'a wrong password' })).rejects.toEqual(denied);
    });

    it('is required by every client: at the portal, by clients of a company, and for enrolment', async () => {
      const company = world.acme;
      await company.secondFactor.switchesOn(clock);
      await withRedirect(world, world.automation);
      for (const app of [portal(world), crm(world.automation)]) {
        const form = await begins(company, formOf(app as App));
        expect(await keyOf(posts({ ...form, code: await company.secondFactor.nextCode() }))).toBe('signed in');
      }
      await world.passes({ minutes: 2 });
      await company.secondFactor.switchesOff();

      const visitor = await protectedPerson();
      const app = await company.signInApps.creates({ claims: [] });
      const atApp = await begins(visitor, formOf({ client_id: app.client_id, redirect_uri: app.redirect_uris[0]! } as App));
      const sent = await posts({ ...atApp, code: await visitor.secondFactor.nextCode() });
      expect(sent.location).toMatch(/[?&]code=/);

      const person = world.person('ANA');
      await person.connections.connects('ACME/SHOP');
      await person.secondFactor.switchesOn(clock);
      const { client_id } = world.shop;
      const request = { client_id, mode: '2fa_enroll', redirect_uri: CALLBACK, state: 's1' } as const;
      const form = await begins(person, request);
      expect(await person.phone.enrolments()).toEqual([]);
      const { location } = await posts({ ...form, code: await person.secondFactor.nextCode() });
      expect(location).toBe(`${CALLBACK}?enrolled=true&state=s1`);
      await world.passes({ minutes: 2 });
      const waits = { client_id, mode: '2fa_enroll', response_mode: 'detached', state: 'detached-1' } as const;
      await world.stranger.asks(identity.beginAuthorization, { query: waits });
      const atDesk = await begins(person, waits);
      const { client_secret } = world.shop;
      const poll = () => world.stranger.asks(identity.pollResult, { body: { client_id, client_secret, state: waits.state } });
      expect(await poll()).toEqual({ enrolled: false });
      await posts({ ...atDesk, code: await person.secondFactor.nextCode() });
      expect(await poll()).toEqual({ enrolled: true });
      await person.phone.enrols(world.shop);
      expect(await person.phone.enrolments()).toHaveLength(1);
      await world.passes({ minutes: 2 });
      await person.secondFactor.switchesOff();
    });

    it('can be cancelled at the second step', async () => {
      const person = await protectedPerson();
      const { location } = await posts({ ...(await begins(person)), decision: 'deny' });
      expect(location).toContain('error=access_denied');
    });

    it('completes only the authorization that it began, once, within ten minutes', async () => {
      const person = await protectedPerson();
      await world.passes({ minutes: 5 });
      const { step, ...form } = await begins(person);
      const code = await person.secondFactor.nextCode();
      const others: Form[] = [
        { ...form, step, state: 'another' },
        { ...form, step, code_challenge: proof().code_challenge },
        { ...formOf(portal(world)), state: form.state, code_challenge: form.code_challenge, step },
        { ...form, step: `${step}x` },
        { ...form, step: randomBytes(32).toString('base64url') },
      ];
      for (const other of others) await expect(posts({ ...other, code })).rejects.toEqual(denied);

      expect(await keyOf(posts({ ...form, step, code }))).toBe('signed in');
      await expect(posts({ ...form, step, code: await person.secondFactor.nextCode() })).rejects.toEqual(denied);
      const late = await begins(person);
      await world.passes({ minutes: SIGN_IN_STEP_MINUTES });
      await expect(posts({ ...late, code: await person.secondFactor.nextCode() })).rejects.toEqual(denied);
    });

    it('accepts codes of the time step before and after, each once, and none older than a used one', async () => {
      const person = await protectedPerson();
      const tries = async (code: string, from: string) => keyOf(posts({ ...(await begins(person, undefined, { from })), code }, { from }));
      await world.passes({ minutes: 5 });

      expect(await tries(await person.secondFactor.code(-2), '192.0.2.10')).toBe('account.code_required');
      expect(await tries(await person.secondFactor.code(2), '192.0.2.10')).toBe('account.code_required');
      expect(await tries(await person.secondFactor.code(-1), '192.0.2.10')).toBe('signed in');
      expect(await tries(await person.secondFactor.code(-1), '192.0.2.10')).toBe('account.code_required');
      expect(await tries(await person.secondFactor.code(1), '192.0.2.10')).toBe('signed in');
      expect(await tries(await person.secondFactor.code(0), '192.0.2.10')).toBe('account.code_required');
      await world.passes({ seconds: 30 });
      expect(await tries(await person.secondFactor.code(0), '192.0.2.10')).toBe('account.code_required');
      expect(await tries(await person.secondFactor.code(1), '192.0.2.10')).toBe('signed in');
    });

    it('refuses the codes of another account', async () => {
      const [person, other] = [await protectedPerson(), await protectedPerson()];
      await world.passes({ minutes: 2 });
      const form = await begins(person);
      for (const code of [await other.secondFactor.code(), other.secondFactor.backupCodes[0]!])
        await expect(posts({ ...form, code })).rejects.toEqual(codeRequired);
      expect(await other.secondFactor.reads()).toMatchObject({ backup_codes_left: 10 });
    });

    it.each([
      ['nothing', ''],
      ['letters', 'ABCDEF'],
      ['digits of another script', '١٢٣٤٥٦'],
      ['a very long text', '1'.repeat(4000)],
      ['an injection', "' or 1=1 --"],
    ])('treats %s as a wrong code', async (_, code) => {
      const person = await protectedPerson();
      await expect(posts({ ...(await begins(person)), code })).rejects.toEqual(codeRequired);
    });

    it('accepts each backup code once, in any spelling, and mails the owner', async () => {
      const person = await protectedPerson();
      const [first, second] = person.secondFactor.backupCodes as [string, string];
      const typed = `${first.slice(0, 5)}-${first.slice(5)} `.toLowerCase();

      expect(await keyOf(posts({ ...(await begins(person)), code: typed }))).toBe('signed in');
      await expect(posts({ ...(await begins(person)), code: first })).rejects.toEqual(codeRequired);
      expect(await keyOf(posts({ ...(await begins(person)), code: second }))).toBe('signed in');

      expect(await person.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 8 });
      const mails = (await world.mails()).filter(({ to, subject }) => to === person.email && subject.includes('backup code'));
      expect(mails.map(({ text }) => /\d are left/.exec(text)?.[0]).toSorted()).toEqual(['8 are left', '9 are left']);
      for (const mail of mails) expect(mail.text).not.toContain(first);
      expect(await audited(person, 'second_factor.backup_code_used')).toHaveLength(2);
    });

    it('ends a pending sign-in step when the password changes or the account is disabled', async () => {
      const person = await protectedPerson();
      const form = await begins(person);
      const code = await person.secondFactor.nextCode();
      const body = { password: person.password, new_password: 'seven lamps by the river', code };
      await person.asks(personSecurity.changePersonPassword, { body });
      await expect(posts({ ...form, code: await person.secondFactor.nextCode() })).rejects.toEqual(denied);

      const other = await protectedPerson();
      const waiting = await begins(other);
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: other.user_id, disabled: true });
      const refusal = posts({ ...waiting, code: await other.secondFactor.nextCode() });
      await expect(refusal).rejects.toMatchObject({ key: 'oauth.access_denied', message: expect.stringContaining('disabled') });
    });

    it('ends a pending sign-in step without counting a wrong code when it is switched off', async () => {
      const person = await protectedPerson();
      const form = await begins(person);
      await operator.request(OPERATOR.switchSecondFactorOff, {}, { user_id: person.user_id });
      for (let nth = 0; nth < 6; nth++) await expect(posts({ ...form, code: '123456' })).rejects.toEqual(denied);
      expect(await many(db, sql`select 1 from password_failures where account_key = ${secondFactorKeyOf(person.user_id)}`)).toEqual([]);
      expect(await keyOf(posts({ ...formOf(phone(world)), ...credentials(person) }))).toBe('signed in');
    });

    it('does not use up a code for an enrolment while writes are paused', async () => {
      const person = world.person('BEN');
      await person.connections.connects('ACME/SHOP');
      await person.secondFactor.switchesOn(clock);
      const request = { client_id: world.shop.client_id, mode: '2fa_enroll', redirect_uri: CALLBACK, state: 's2' } as const;
      const form = await begins(person, request);
      const code = await person.secondFactor.nextCode();
      await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: true });
      await eventually(async () => (await keyOf(posts({ ...form, decision: 'deny' }))) === 'db.writes_paused' || undefined);
      await expect(posts({ ...form, code })).rejects.toEqual(refused('db.writes_paused', 503));
      await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: false });

      const { location } = await eventually(() => posts({ ...form, code }).catch(() => undefined));
      expect(location).toBe(`${CALLBACK}?enrolled=true&state=s2`);
      await world.passes({ minutes: 2 });
      await person.secondFactor.switchesOff();
    });

    it('records in the audit what a user signed in with', async () => {
      const person = await newPerson();
      await person.secondFactor.switchesOn(clock);
      const browser = new TrustingBrowser(world);
      await browser.isTrusted(person, phone(world));
      expect(await browser.skipsCode(person, phone(world))).toBe(true);
      const kinds = await many<{ kind: string }>(
        db,
        sql`select details->>'kind' as kind from audit.entry where account_id = ${person.user_id} and act = 'sign_in' order by seq`,
      );
      expect(kinds.map(({ kind }) => kind)).toEqual(['password', 'code', 'trusted_browser']);
    });
  });

  describe('guessing the second factor', () => {
    it('is throttled across many addresses, while the owner can sign in from a known address', async () => {
      const person = await protectedPerson();
      const HOME = '203.0.113.7';
      const home = await begins(person, undefined, { from: HOME });
      expect(await keyOf(posts({ ...home, code: await person.secondFactor.nextCode() }, { from: HOME }))).toBe('signed in');
      const wrong = await wrongCode(person);

      const outcomes: string[] = [];
      for (let nth = 0; nth < 20; nth++) {
        const from = `198.51.100.${nth}`;
        outcomes.push(await keyOf(posts({ ...(await begins(person, undefined, { from })), code: wrong }, { from })));
      }
      expect(outcomes.filter((outcome) => outcome === 'account.code_required')).toHaveLength(5);
      expect(outcomes.slice(5).every((outcome) => outcome === 'rate_limit.exceeded')).toBe(true);

      await world.passes({ minutes: 2 });
      const waits = await begins(person, undefined, { from: '198.51.100.200' });
      expect(await keyOf(posts({ ...waits, code: wrong }, { from: '198.51.100.200' }))).toBe('account.code_required');
      await expect(posts({ ...waits, code: await person.secondFactor.code() }, { from: '198.51.100.200' })).rejects.toEqual(tooMany);
      const again = await begins(person, undefined, { from: HOME });
      expect(await keyOf(posts({ ...again, code: await person.secondFactor.nextCode() }, { from: HOME }))).toBe('signed in');
      await eventually(async () => (await audited(person, 'second_factor.code_checked')).length > 5 || undefined);
    });

    it('makes no address known by giving only the right password', async () => {
      const person = await protectedPerson();
      const addresses = ['192.0.2.51', '192.0.2.52', '192.0.2.53'];
      for (const from of addresses) await begins(person, undefined, { from });

      const wrong = { ...formOf(phone(world)), email: person.email, password: 'a wrong password' };
      const outcomes: string[] = [];
      for (const from of [...addresses, ...addresses, ...addresses]) outcomes.push(await keyOf(posts(wrong, { from })));
      expect(outcomes.filter((outcome) => outcome === 'oauth.access_denied')).toHaveLength(5);
    });

    it('makes no address known by setting up, except the one that switched the second factor on', async () => {
      const person = await newPerson();
      const authenticator = await person.secondFactor.begins(clock);
      expect(authenticator.otpauth_url).toContain('secret=');
      const key = secondFactorKeyOf(person.user_id);
      await execute(
        db,
        sql`insert into sign_in_address (account_key, address, last_at)
            select ${key}, '192.0.2.' || n, ${world.now} from generate_series(1, 9) n`,
      );
      await person.secondFactor.confirms();
      expect(await many(db, sql`select address from sign_in_address where account_key = ${key}`)).toHaveLength(1);
    });

    it('cannot count wrong codes against an account by a crafted e-mail address', async () => {
      const { user_id } = world.person('ANA');
      for (let nth = 0; nth < 5; nth++) await keyOf(posts({ ...formOf(phone(world)), email: `second factor ${user_id}`, password: 'x' }));
      await expect(posts({ ...formOf(phone(world)), email: `\u0000second factor\u0000${user_id}` })).rejects.toEqual(
        refused('oauth.invalid_request', 400),
      );
      expect(await many(db, sql`select 1 from password_failures where account_key = ${secondFactorKeyOf(user_id)}`)).toEqual([]);
    });

    it('is throttled for concurrent attempts', async () => {
      const person = await protectedPerson();
      const form = await begins(person);
      const wrong = await wrongCode(person);
      const done = await Promise.all(Array.from({ length: 20 }, () => keyOf(posts({ ...form, code: wrong }))));
      expect(done.filter((outcome) => outcome === 'account.code_required').length).toBeLessThanOrEqual(6);
      expect(done.filter((outcome) => outcome === 'signed in')).toEqual([]);
    });

    it('is throttled when a token and the password are used to switch it off or to renew backup codes', async () => {
      for (const user of [await newPerson(), await newCompany()]) {
        await user.secondFactor.switchesOn(clock);
        const wrong = await wrongCode(user);
        const outcomes: string[] = [];
        for (let nth = 0; nth < 4; nth++)
          outcomes.push(await keyOf(user.secondFactor.switchesOff(wrong)), await keyOf(user.secondFactor.renews(wrong)));
        expect(outcomes.filter((outcome) => outcome === 'account.code_invalid').length).toBeGreaterThan(3);
        expect(outcomes.at(-1)).toBe('rate_limit.exceeded');
        expect(await user.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
      }
    });
  });

  describe('switching the second factor off', () => {
    it('requires the password and a code, and the second factor can then be set up again', async () => {
      for (const user of [await newPerson(), await newCompany()]) {
        await expect(user.secondFactor.switchesOff('123456')).rejects.toEqual(wrongState);
        await expect(user.secondFactor.renews('123456')).rejects.toEqual(wrongState);
        await user.secondFactor.switchesOn(clock);
        const wrong = { ...user, password: 'a wrong password' };
        const body = { password: wrong.password, code: '123456' };
        const ends =
          'phone' in user
            ? user.asks(personSecurity.endPersonSecondFactor, { body })
            : user.asks(accountSecurity.endSecondFactor, { body });
        await expect(ends).rejects.toEqual(refused('account.password_wrong', 403));
        const renews =
          'phone' in user
            ? user.asks(personSecurity.renewPersonBackupCodes, { body })
            : user.asks(accountSecurity.renewBackupCodes, { body });
        await expect(renews).rejects.toEqual(refused('account.password_wrong', 403));

        const code = await user.secondFactor.nextCode();
        await user.secondFactor.switchesOff(code);
        expect(await factorOf(user)).toBeUndefined();
        await world.passes({ minutes: 2 });
        await user.secondFactor.switchesOn(clock);
        expect(await user.secondFactor.reads()).toEqual({ enabled: true, backup_codes_left: 10 });
      }
    });

    it('accepts a backup code from a user who lost the authenticator', async () => {
      const person = await protectedPerson();
      await person.secondFactor.switchesOff(person.secondFactor.backupCodes[3]);
      expect(await person.secondFactor.reads()).toEqual({ enabled: false, backup_codes_left: 0 });
      expect(await many(db, sql`select 1 from password_failures where account_key = ${secondFactorKeyOf(person.user_id)}`)).toEqual([]);
    });

    it('leaves no backup code when codes are renewed at the same time', async () => {
      const person = await protectedPerson();
      const { factor_id } = (await factorOf(person))!;
      const [one, other] = person.secondFactor.backupCodes;
      const done = await Promise.allSettled([person.secondFactor.switchesOff(one), person.secondFactor.renews(other)]);

      expect(done.some(({ status }) => status === 'fulfilled')).toBe(true);
      await keyOf(person.secondFactor.switchesOff());
      expect(await many(db, sql`select 1 from backup_code where factor_id = ${factor_id}`)).toEqual([]);
    });

    it('is possible for an operator when a user lost everything, and mails the owner', async () => {
      const person = await protectedPerson();
      const ends = (user_id: string) => operator.request(OPERATOR.switchSecondFactorOff, {}, { user_id });

      expect(await ends(person.user_id)).toEqual({ was_on: true });
      expect(await ends(person.user_id)).toEqual({ was_on: false });
      await expect(ends('usr_nobody')).rejects.toEqual(refused('request.invalid', 400));

      expect(await keyOf(posts({ ...formOf(phone(world)), ...credentials(person) }))).toBe('signed in');
      expect(await subjectsTo(person.email)).toContain('Sign-in no longer asks for a code');
      expect(await audited(person, 'second_factor.switched_off')).toMatchObject([{ outcome: 'done', initiator: 'operator' }]);
    });

    it('happens with the deletion of the account, which leaves none of its rows', async () => {
      const person = await protectedPerson();
      const { factor_id } = (await factorOf(person))!;
      await begins(person);
      await keyOf(posts({ ...(await begins(person)), code: await wrongCode(person) }));
      await world.passes({ minutes: 10 }); // the wrong code makes the next one wait
      await person.phone.requestsDeletion({ code: await person.secondFactor.code() });
      await person.phone.confirmsDeletion(
        (await world.mails()).find(({ to, subject }) => to === person.email && subject.includes('deletes'))!.code!,
      );

      expect(await factorOf(person)).toBeUndefined();
      expect(await many(db, sql`select 1 from backup_code where factor_id = ${factor_id}`)).toEqual([]);
      expect(await many(db, sql`select 1 from sign_in_step where user_id = ${person.user_id}`)).toEqual([]);
      const account_key = secondFactorKeyOf(person.user_id);
      expect(await many(db, sql`select 1 from password_failures where account_key = ${account_key}`)).toEqual([]);
      expect(await many(db, sql`select 1 from sign_in_address where account_key = ${account_key}`)).toEqual([]);
    });
  });

  it('gets new backup codes, which void the old ones', async () => {
    const person = await protectedPerson();
    const [old] = person.secondFactor.backupCodes as [string];
    const fresh = await person.secondFactor.renews();

    expect(fresh).not.toContain(old);
    await expect(posts({ ...(await begins(person)), code: old })).rejects.toEqual(codeRequired);
    expect(await keyOf(posts({ ...(await begins(person)), code: fresh[9]! }))).toBe('signed in');
    expect(await audited(person, 'second_factor.codes_made')).toHaveLength(1);
  });

  it('leaves existing sessions and their refresh tokens valid when it is switched on', async () => {
    const person = await newPerson();
    const before = await person.signsIn();
    await person.secondFactor.switchesOn(clock);
    const body = { grant_type: 'refresh_token', client_id: 'app_person', refresh_token: before.refresh_token! } as const;
    expect(await world.stranger.asks(tokens.issueToken, { body })).toMatchObject({ access_token: expect.any(String) });
  });

  describe('is required where the password is required once more', () => {
    const REGION = { region: 'eu' } as const;
    const moves = (company: Company, more: object = {}) =>
      company.asks(account.migrateRegion, { body: { password: company.password, ...REGION, ...more } });
    const deletes = (user: User, more: object = {}) => {
      const body = { password: user.password, ...more };
      return 'phone' in user ? user.asks(phones.requestPersonDeletion, { body }) : user.asks(accountSecurity.requestDeletion, { body });
    };
    const rewraps = async (company: Company, more: object = {}) => {
      const { encrypted_private_key } = await company.asks(account.readAccountKeys, {});
      const wrapped = { ...encrypted_private_key, iter: KEY_WRAP.iterations };
      return company.asks(account.rewrapAccountKey, { body: { password: company.password, encrypted_private_key: wrapped, ...more } });
    };

    it.each([
      ['the deletion of a person', newPerson, deletes],
      ['the deletion of a company', newCompany, deletes],
      ['a new passphrase of the account key', newCompany, rewraps],
      ['a move to another region', newCompany, moves],
    ] as const)('for %s, and a code of another moment is refused', async (_, signsUp, does) => {
      const user = (await signsUp()) as Company;
      const act = does as (user: User, more?: object) => Promise<unknown>;
      await user.secondFactor.switchesOn(clock);

      await expect(act(user, { password: 'not the password' })).rejects.toEqual(refused('account.password_wrong', 403));
      await expect(act(user)).rejects.toEqual(codeRequired);
      await expect(act(user, { code: await wrongCode(user) })).rejects.toEqual(codeInvalid);
      const typed = (await user.secondFactor.code(1)).replace(/^(...)/, '$1 ');
      expect(await keyOf(act(user, { code: typed }))).toBe('signed in');
    });

    it('for the first use of a mailed recovery code, and not for each copy', async () => {
      const company = await newCompany();
      await company.recovery.makesKey('a passphrase of a recovery key');
      const robot = await company.asks(accountClients.createAccountClient, { body: { name: 'Robot', capabilities: [] } });
      const copy = await company.recovery.keeps('client_secret', robot.client_id, robot.client_secret);
      await company.secondFactor.switchesOn(clock);
      await company.recovery.asksCode();
      const code = await eventually(async () => {
        const mails = await world.mails();
        return mails.find(({ to, subject }) => to === company.email && subject.includes('recovers your secrets'))?.code;
      });
      const resets = (more: object = {}) =>
        company.asks(recovery.resetRecoveryKey, { body: { password: company.password, code, ...more } });

      await expect(company.recovery.recovers(copy, { password: company.password, code })).rejects.toEqual(codeRequired);
      await expect(resets()).rejects.toEqual(codeRequired);
      await expect(resets({ second_factor_code: await wrongCode(company) })).rejects.toEqual(codeInvalid);
      const second_factor_code = await company.secondFactor.code(1);
      await resets({ second_factor_code });
      await company.recovery.makesKey('another passphrase of a recovery key');
      await resets();
    });
  });

  describe('when it is switched on', () => {
    const codeTo = async (address: string) =>
      eventually(async () => {
        const mail = (await world.mails()).find(({ to, code }) => to === address && code !== undefined);
        return mail?.code;
      });
    const nobodys = () => `u${randomBytes(6).toString('hex')}@codase.example`;

    it('ends a change of the e-mail address and a deletion that were begun with the password alone', async () => {
      const person = await newPerson();
      const thiefs = nobodys();
      await person.phone.requestsDeletion();
      const deletion = await codeTo(person.email);
      await person.asks(personSecurity.requestPersonEmailChange, { body: { password: person.password, email: thiefs } });
      const change = await codeTo(thiefs);

      await person.secondFactor.switchesOn(clock);

      await expect(person.asks(personSecurity.confirmPersonEmailChange, { body: { code: change } })).rejects.toEqual(codeInvalid);
      await expect(person.phone.confirmsDeletion(deletion)).rejects.toEqual(codeInvalid);
      expect(await one(db, sql`select email from account where user_id = ${person.user_id}`)).toEqual({ email: person.email });
      expect((await world.mails()).filter(({ to }) => to === thiefs)).toEqual([]);
      expect(
        await one(db, sql`select details from audit.entry where account_id = ${person.user_id} and act = 'second_factor.switched_on'`),
      ).toEqual({ details: { codes_ended: 2 } });
    });

    it('ends a recovery code that was mailed before', async () => {
      const company = await newCompany();
      await company.recovery.makesKey('a passphrase of a recovery key');
      await company.recovery.asksCode();
      const code = await codeTo(company.email);

      await company.secondFactor.switchesOn(clock);

      const body = { password: company.password, code, second_factor_code: await company.secondFactor.code(1) };
      await expect(company.asks(recovery.resetRecoveryKey, { body })).rejects.toEqual(codeInvalid);
    });

    it('refuses a change of the e-mail address whose password was checked a moment before', async () => {
      const [person, thiefs] = [await newPerson(), nobodys()];
      const others = await world.opensDatabase('front_door', { pool: 2 });

      let change!: Promise<unknown>;
      await inOwnTransaction(db, async (tx) => {
        await execute(tx, sql`select 1 from account where user_id = ${person.user_id} for update`);
        change = person
          .asks(personSecurity.requestPersonEmailChange, { body: { password: person.password, email: thiefs } })
          .catch((error: unknown) => error);
        await eventually(async () => (await lockWaits(others, 'transactionid')) > 0 || undefined);
        await execute(
          tx,
          sql`insert into second_factor (user_id, factor_id, sealed_secrets, enabled_at)
              values (${person.user_id}, ${`fac_${person.user_id}`}, 'x', ${world.now})`,
        );
      });

      expect(await change).toEqual(codeRequired);
      expect(await many(db, sql`select 1 from email_change where user_id = ${person.user_id}`)).toEqual([]);
    });
  });

  it('accepts requests only from the home region, with content that was sealed for this use', async () => {
    const person = await protectedPerson();
    const { user_id } = person;
    const reply_key = newSealingKey().public_key;
    const request = { user_id, address: '192.0.2.1', reply_key };
    const key = await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {});
    const other = sealToProcess(key.public_key, { use: 'codase second factor begin', owner_id: user_id }, person.password);

    await expect(operator.request(FRONT_DOOR.readSecondFactor, { region: 'us' }, { user_id })).rejects.toEqual(
      refused('region.rebase_required', 421),
    );
    const at = { region: 'eu', replica: key.replica };
    for (const subject of [FRONT_DOOR.confirmSecondFactor, FRONT_DOOR.renewBackupCodes] as const)
      await expect(operator.request(subject, at, { ...request, sealed: other })).rejects.toEqual(refused('request.invalid', 400));
    await expect(operator.request(FRONT_DOOR.endSecondFactor, at, { user_id, address: '192.0.2.1', sealed: other })).rejects.toEqual(
      refused('request.invalid', 400),
    );
    const forAnother = sealToProcess(key.public_key, { use: 'codase second factor begin', owner_id: 'usr_other' }, person.password);
    await expect(operator.request(FRONT_DOOR.beginSecondFactor, at, { ...request, sealed: forAnother })).rejects.toEqual(
      refused('request.invalid', 400),
    );
    const worthless = { ...request, reply_key: Buffer.alloc(32).toString('base64url') };
    const fresh = await newPerson();
    const begins = sealToProcess(key.public_key, { use: 'codase second factor begin', owner_id: fresh.user_id }, fresh.password);
    await expect(
      operator.request(FRONT_DOOR.beginSecondFactor, at, { ...worthless, user_id: fresh.user_id, sealed: begins }),
    ).rejects.toEqual(refused('request.invalid', 400));
  });

  it('refuses the endpoints of the other kind of user, unknown members and malformed codes', async () => {
    const [person, company] = [await newPerson(), await newCompany()];
    await expect(person.asks(accountSecurity.readSecondFactor, {})).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
    await expect(company.asks(personSecurity.readPersonSecondFactor, {})).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
    const more = { why: 'I want to' };
    const both = { password: 'x', code: '123456', ...more } as never;
    const requests = await Promise.allSettled([
      person.asks(personSecurity.beginPersonSecondFactor, { body: { password: 'x', ...more } as never }),
      person.asks(personSecurity.confirmPersonSecondFactor, { body: { code: '123456', ...more } as never }),
      person.asks(personSecurity.renewPersonBackupCodes, { body: both }),
      person.asks(personSecurity.endPersonSecondFactor, { body: both }),
      company.asks(accountSecurity.beginSecondFactor, { body: { password: 'x', ...more } as never }),
      company.asks(accountSecurity.confirmSecondFactor, { body: { code: '123456', ...more } as never }),
      company.asks(accountSecurity.renewBackupCodes, { body: both }),
      company.asks(accountSecurity.endSecondFactor, { body: both }),
    ]);
    expect(requests).toEqual(requests.map(() => ({ status: 'rejected', reason: refused('request.invalid', 400) })));
    for (const code of ['12345', '12 34 5', '12345678901', "1' or '1"])
      await expect(person.secondFactor.confirms(code)).rejects.toEqual(codeInvalid);
  });

  it('deletes what has waited too long, and keeps at most fifty sign-in steps of an account', async () => {
    const [waiting, person] = [await newPerson(), await protectedPerson()];
    await waiting.secondFactor.begins(clock);
    const steps = new SignInStepsStore(db);
    const { password_hash } = (await one<{ password_hash: string }>(
      db,
      sql`select password_hash from account where user_id = ${person.user_id}`,
    ))!;
    const request = { client_id: 'app_person', response_type: 'code', response_mode: 'query' } as const;
    for (let nth = 0; nth < 52; nth++)
      await steps.begin({ user_id: person.user_id, password_hash }, request, new Date(world.now.getTime() + nth));
    const count = async () => (await many(db, sql`select 1 from sign_in_step where user_id = ${person.user_id}`)).length;
    expect(await count()).toBe(50);

    const sweep = async (minutes: number) => {
      const at = new Date(world.now.getTime() + minutes * MINUTE_MS);
      await execute(db, new SecondFactorsStore(db).deleteExpired(at, 1000));
      await execute(db, steps.deleteExpired(at, 1000));
    };
    await sweep(SIGN_IN_STEP_MINUTES - 1);
    expect([await count(), (await factorOf(waiting)) !== undefined]).toEqual([50, true]);
    await sweep(AUTHENTICATOR_MINUTES);
    expect([await count(), (await factorOf(waiting)) !== undefined]).toEqual([0, false]);
    expect(await factorOf(person)).toBeDefined();
  });

  const newStrangeKey = () => new StoredSecrets(keyList(randomBytes(32)));
  const isSealedBy = ({ user_id }: User, keys: StoredSecrets) =>
    execute(
      db,
      sql`update second_factor set sealed_secrets = ${keys.seal({ totp: 'x', backup: 'x' }, user_id)} where user_id = ${user_id}`,
    );

  it('counts no wrong code while its key is missing, so the owner can sign in once the key is back', async () => {
    const person = await protectedPerson();
    const { sealed_secrets } = (await factorOf(person))!;
    const form = await begins(person);
    const code = await person.secondFactor.nextCode();
    await isSealedBy(person, newStrangeKey());
    for (let nth = 0; nth < 6; nth++) await expect(posts({ ...form, code })).rejects.toMatchObject({ status: 503 });
    await execute(db, sql`update second_factor set sealed_secrets = ${sealed_secrets} where user_id = ${person.user_id}`);
    expect(await keyOf(posts({ ...form, code }))).toBe('signed in');
  });

  it('is checked by the front door, which is not ready while it can decrypt none of them', async () => {
    const store = new SecondFactorsStore(db);
    const state = new FactorKeysState();
    const checkWith = (keys: StoredSecrets) => new FactorKeysCheck(store, new FactorSecrets(keys), state, silentLog);
    const [mine, strange] = [newStrangeKey(), newStrangeKey()];
    const people = [await protectedPerson(), await protectedPerson(), await newPerson()];
    await people[2]!.secondFactor.begins(clock);
    await execute(db, sql`delete from second_factor where user_id <> all(${people.map(({ user_id }) => user_id)}::text[])`);
    expect(state.finding).toBe('not tried yet');

    for (const person of people) await isSealedBy(person, mine);
    expect(await checkWith(mine).round()).toBe(false);
    expect(state.finding).toBeNull();
    await isSealedBy(people[0]!, strange);
    expect(await checkWith(mine).round()).toBe(true);
    expect(state.finding).toEqual({ note: 'no key of STORED_SECRETS_KEY opens 1 of 2 second factors' });
    await isSealedBy(people[1]!, strange);
    expect(await checkWith(mine).round()).toBe(true);
    expect(state.finding).toBe('no key of STORED_SECRETS_KEY opens a second factor: is it the one of this database?');

    await execute(db, sql`delete from second_factor`);
    expect(await checkWith(mine).round()).toBe(false);
    expect(state.finding).toBeNull();
    const { checks } = (await (await fetch(`${world.opsUrl('front-door')}/readyz`)).json()) as { checks: Record<string, string> };
    expect(checks['second_factors']).toBe('ok');
  });

  it('is resealed under the current key when an operator requests it', async () => {
    const person = await protectedPerson();
    const before = (await factorOf(person))!;
    expect(await operator.request(OPERATOR.resealFrontDoorSecrets, {}, {})).toMatchObject({ resealed: 0, remaining: 0 });
    await isSealedBy(person, newStrangeKey());
    expect(await operator.request(OPERATOR.resealFrontDoorSecrets, {}, {})).toEqual({
      resealed: 0,
      remaining: 0,
      unreadable: 1,
      unreadable_user_ids: [person.user_id],
    });
    await execute(db, sql`update second_factor set sealed_secrets = ${before.sealed_secrets} where user_id = ${person.user_id}`);

    const withoutId = before.sealed_secrets.replace(/^[^:]*/, '1'); // an older form, which any key of the list may open
    await execute(db, sql`update second_factor set sealed_secrets = ${withoutId} where user_id = ${person.user_id}`);
    expect(await operator.request(OPERATOR.resealFrontDoorSecrets, {}, {})).toMatchObject({ resealed: 1, remaining: 0, unreadable: 0 });
    expect(await keyOf(posts({ ...(await begins(person)), code: await person.secondFactor.nextCode() }))).toBe('signed in');
  });
});
