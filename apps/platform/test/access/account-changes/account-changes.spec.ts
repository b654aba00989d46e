import {
  account,
  accountSecurity,
  EMAIL_CODE_HOURS,
  FRONT_DOOR,
  identity,
  KEY_WRAP,
  OPERATOR,
  personSecurity,
  tokens,
  type Output,
  type Refusal,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { eventually, World, type Company, type Person, type User } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { SessionsStore } from '../../../src/access/tokens/index.ts';
import { EmailChangesStore } from '../../../src/access/account-changes/index.ts';
import { AccountMailStore } from '../../../src/access/account-mail/index.ts';
import { accountKeyOf } from '../../../src/access/identity/passwords/password-attempts.store.ts';
import { sealToProcess } from '../../../src/kit/secrets/process-seal.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { phone, portal, refresh, signIn } from '../../support/oauth-visitor.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

const NEW_PASSWORD = 'seven lamps by the river';
const HOUR_MS = 3_600_000;

describe("changes of an account's password and e-mail address @spec D1-5.8 @gap D1-5.8", () => {
  let world: World;
  let db: DataSource;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await world.opensDatabase('front_door');
    operator = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const isOver = refused('auth.token_invalid', 401);
  const codeInvalid = refused('account.code_invalid', 400);
  const tooMany = refused('rate_limit.exceeded', 429);

  const newPerson = (): Promise<Person> => world.signsUp({ type: 'person', region: 'eu' });
  const newCompany = (): Promise<Company> => world.signsUp({ type: 'company', region: 'us' });
  let addresses = 0;
  const newAddress = () => `moved-${++addresses}@changes.example`;
  const withPassword = ({ email }: User, password: string) => ({ email, password });
  const enters = (app: typeof phone, user: Pick<User, 'email' | 'password'>) => signIn(app(world), user, world.stranger);
  const entry = (user: Pick<User, 'email' | 'password'>, app = phone) =>
    enters(app, user).then(
      () => 'signed in',
      ({ key }: { key: string }) => key,
    );
  const reads = (token: string) => world.stranger.asks(account.readProfile, {}, { at: world.regionUrl('eu'), token });
  const ends = (token: string) =>
    eventually(() =>
      reads(token).then(
        () => undefined,
        (error: unknown) => error,
      ),
    ).then((error) => expect(error).toEqual(isOver));

  const changesPassword = (person: Person, new_password = NEW_PASSWORD, password = person.password) =>
    person.asks(personSecurity.changePersonPassword, { body: { password, new_password } });
  const requestsEmail = (person: Person, email: string, password = person.password) =>
    person.asks(personSecurity.requestPersonEmailChange, { body: { password, email } });
  const confirmsEmail = (person: Person, code: string) => person.asks(personSecurity.confirmPersonEmailChange, { body: { code } });
  const mailsTo = async (address: string) => (await world.mails()).filter(({ to }) => to === address);
  const subjectsTo = async (address: string) => (await mailsTo(address)).map(({ subject }) => subject);
  const codeTo = async (address: string): Promise<string> =>
    (await mailsTo(address)).find(({ subject }) => subject.includes('new address'))!.code!;
  const emailOf = async ({ user_id }: User) =>
    (await one<{ email: string }>(db, sql`select email from account where user_id = ${user_id}`))?.email;
  const audited = (user: User, act: string) =>
    many<{ outcome: string; client_id: string | null }>(
      db,
      sql`select outcome, client_id from audit.entry where account_id = ${user.user_id} and act = ${act} order by seq`,
    );

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('succeed at any replica of the front door, and roll back entirely when the replica is killed', async () => {
    const nameOf = async () => (await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {})).replica;
    const first = await nameOf();
    const replica = await world.startsReplica('front-door');
    const people = await Promise.all(Array.from({ length: 4 }, newPerson));
    await Promise.all(people.map((person) => changesPassword(person)));

    const person = await newPerson();
    const second = await eventually(async () => {
      const key = await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {});
      return key.replica === first ? undefined : key;
    });
    const passwords = JSON.stringify({ password: person.password, new_password: NEW_PASSWORD });
    const sealed = sealToProcess(second.public_key, { use: 'codase password change', owner_id: person.user_id }, passwords);
    const others = await world.opensDatabase('front_door');
    await inOwnTransaction(db, async (tx) => {
      await execute(tx, sql`select 1 from account where user_id = ${person.user_id} for update`);
      const message = { user_id: person.user_id, address: '192.0.2.1', sealed };
      // Nobody answers this request any more, and nobody waits for the answer.
      const change = operator.request(FRONT_DOOR.changePassword, { region: 'eu', replica: second.replica }, message).then(
        () => 'changed',
        (error: unknown) => String(error),
      );
      expect(
        await Promise.race([change, eventually(async () => ((await lockWaits(others, 'transactionid')) > 0 ? 'waits' : undefined))]),
      ).toBe('waits');
      await replica.kill();
    });
    await others.destroy();

    expect(await entry(person)).toBe('signed in');
    expect(await subjectsTo(person.email)).not.toContain('The password of your account was changed');
    await changesPassword(person);
    expect(await entry(withPassword(person, NEW_PASSWORD))).toBe('signed in');
  });

  describe('changing the password', () => {
    it('replaces the old password and ends every other session, but not the present one', async () => {
      const person = await newPerson();
      const other = await enters(phone, person);

      await changesPassword(person);

      expect(await entry(person)).toBe('oauth.access_denied');
      expect(await entry(withPassword(person, NEW_PASSWORD))).toBe('signed in');
      await ends(other.access_token);
      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), other.refresh_token!))).rejects.toEqual(
        refused('oauth.invalid_grant', 400),
      );
      expect(await person.asks(account.readProfile, {})).toMatchObject({ display_name: person.display_name });
      expect(await subjectsTo(person.email)).toContain('The password of your account was changed');
      expect(await audited(person, 'account.password_changed')).toEqual([{ outcome: 'done', client_id: 'app_person' }]);
    });

    it('is possible for a company at the portal, and its present session keeps its refresh token', async () => {
      const company = await newCompany();
      const present = await enters(portal, company);
      const at = { at: world.regionUrl('us'), token: present.access_token };

      await world.stranger.asks(accountSecurity.changePassword, { body: { password: company.password, new_password: NEW_PASSWORD } }, at);

      expect(await entry(company, portal)).toBe('oauth.access_denied');
      expect(await entry(withPassword(company, NEW_PASSWORD), portal)).toBe('signed in');
      const next = await world.stranger.asks(tokens.issueToken, refresh(portal(world), present.refresh_token!));
      expect(next.access_token).toEqual(expect.any(String));
      const wrong = { password: company.password, new_password: 'eight lamps by the river' };
      await expect(world.stranger.asks(accountSecurity.changePassword, { body: wrong }, at)).rejects.toEqual(
        refused('account.password_wrong', 403),
      );
    });

    it('requires the current password, and counts a wrong one as a failed sign-in', async () => {
      const person = await newPerson();
      for (let n = 0; n < 5; n++)
        await expect(changesPassword(person, NEW_PASSWORD, `guess number ${n}`)).rejects.toEqual(refused('account.password_wrong', 403));

      await expect(changesPassword(person)).rejects.toEqual(tooMany);
      await expect(requestsEmail(person, newAddress())).rejects.toEqual(tooMany);
      expect(await entry(person)).toBe('rate_limit.exceeded');
      await world.passes({ hours: 1 });
      expect(await entry(person)).toBe('signed in');
    });

    it.each([
      ['is too short', 'short'],
      ['is known from breaches', 'password1234'],
      ['is the e-mail address', undefined],
    ])('refuses a new password that %s, without counting it as an attempt', async (_, weak) => {
      const person = await newPerson();
      const tries = () => changesPassword(person, weak ?? person.email, 'a wrong password');

      for (let n = 0; n < 6; n++) await expect(tries()).rejects.toEqual(refused('account.password_weak', 400));
      expect(await entry(person)).toBe('signed in');
    });

    it('refuses the current password as the new one, in any Unicode form', async () => {
      const person = await newPerson();
      const company = await newCompany();
      await expect(changesPassword(person, person.password)).rejects.toEqual(refused('account.password_weak', 400));
      const { password } = company;
      const same = company.asks(accountSecurity.changePassword, { body: { password, new_password: password } });
      await expect(same).rejects.toEqual(refused('account.password_weak', 400));

      await changesPassword(person, 'caf\u00e9 by the seven rivers');
      const again = changesPassword(person, 'cafe\u0301 by the seven rivers', 'caf\u00e9 by the seven rivers');
      await expect(again).rejects.toEqual(refused('account.password_weak', 400));
      expect(await entry(withPassword(person, 'cafe\u0301 by the seven rivers'))).toBe('signed in');
    });

    it('accepts a password of the maximum length in any script', async () => {
      const person = await newPerson();
      const long = Array.from({ length: 1024 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
      await changesPassword(person, long);
      expect(await entry(withPassword(person, long))).toBe('signed in');
      await changesPassword(person, `${'\u0001'.repeat(1023)}x`, long);
    });

    it('succeeds for only one of several concurrent changes', async () => {
      const person = await newPerson();
      const candidates = ['red', 'green', 'blue', 'violet'].map((colour) => `seven ${colour} lamps by the river`);

      const done = await Promise.allSettled(candidates.map((candidate) => changesPassword(person, candidate)));

      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const { reason } of done.filter((one) => one.status === 'rejected')) expect(reason.key).toBe('account.password_wrong');
      const winner = candidates[done.findIndex(({ status }) => status === 'fulfilled')]!;
      expect(await entry(withPassword(person, winner))).toBe('signed in');
    });

    it('prevents a sign-in that was checked against the old password while the change commits', async () => {
      const person = await newPerson();
      const { password_hash } = (await one<{ password_hash: string }>(
        db,
        sql`select password_hash from account where user_id = ${person.user_id}`,
      ))!;
      const session = {
        session_id: `ses_${person.user_id}`,
        client_id: 'app_person',
        user_id: person.user_id,
        password_hash,
        epoch: 1,
        code_hash: person.user_id,
        redirect_uri: phone(world).redirect_uri,
        code_challenge: 'x',
        expires_at: new Date(world.now.getTime() + HOUR_MS),
      };
      const others = await world.opensDatabase('front_door', { pool: 2 });

      let begins!: Promise<boolean>;
      await inOwnTransaction(db, async (tx) => {
        await execute(tx, sql`select 1 from account where user_id = ${person.user_id} for update`);
        await execute(tx, sql`update account set password_hash = 'another' where user_id = ${person.user_id}`);
        begins = new SessionsStore(others).begin(session, world.now);
        await eventually(async () => (await lockWaits(others, 'transactionid')) > 0 || undefined);
      });

      expect(await begins).toBe(false);
      expect(await many(db, sql`select 1 from session where session_id = ${session.session_id}`)).toEqual([]);
      await others.destroy();
    });

    it('invalidates pending deletion and e-mail codes', async () => {
      const person = await newPerson();
      const address = newAddress();
      await person.phone.requestsDeletion();
      const deletion = (await mailsTo(person.email)).find(({ subject }) => subject.includes('deletes'))!.code!;
      await requestsEmail(person, address);
      const email = await codeTo(address);

      await changesPassword(person);

      await expect(person.phone.confirmsDeletion(deletion)).rejects.toEqual(codeInvalid);
      await expect(confirmsEmail(person, email)).rejects.toEqual(codeInvalid);
      expect(await mailsTo(address)).toEqual([]);
      expect(await emailOf(person)).toBe(person.email);
    });

    it('ends every session when the token belongs to no session', async () => {
      const person = await newPerson();
      const other = await enters(phone, person);
      const token = await world.mints({ client_id: 'app_person', sub: person.user_id });
      const body = { password: person.password, new_password: NEW_PASSWORD };

      await world.stranger.asks(personSecurity.changePersonPassword, { body }, { at: world.regionUrl('eu'), token });

      await ends(other.access_token);
      await expect(person.asks(account.readProfile, {})).rejects.toEqual(isOver);
    });

    it('rolls back entirely when writing the notification mail fails', async () => {
      const person = await newPerson();
      const other = await enters(phone, person);
      const owner = await frontDoorDatabase(world);
      await execute(owner, {
        text: `alter table account_mail add constraint fails check (recipient <> '${person.email}') not valid`,
        values: [],
      });

      await expect(changesPassword(person)).rejects.toMatchObject({ status: 503 });
      await execute(owner, { text: 'alter table account_mail drop constraint fails', values: [] });
      await owner.destroy();

      expect(await entry(person)).toBe('signed in');
      expect(await reads(other.access_token)).toMatchObject({ display_name: person.display_name });
    });
  });

  describe('changing the e-mail address', () => {
    it('takes effect once the mailed code is confirmed, and keeps all sessions', async () => {
      const person = await newPerson();
      const other = await enters(phone, person);
      const address = newAddress();

      const request = await requestsEmail(person, address.toUpperCase());
      expect(request).toEqual({ confirm_by: new Date(world.now.getTime() + EMAIL_CODE_HOURS * HOUR_MS).toISOString() });
      expect(await person.asks(account.readAccount, {})).toMatchObject({ email: person.email });
      expect(await entry({ ...person, email: address })).toBe('oauth.access_denied');
      await confirmsEmail(person, await codeTo(address));

      expect(await person.asks(account.readAccount, {})).toMatchObject({ email: address });
      expect(await entry(person)).toBe('oauth.access_denied');
      expect(await entry({ ...person, email: address })).toBe('signed in');
      expect(await reads(other.access_token)).toMatchObject({ display_name: person.display_name });
      const notice = (await mailsTo(person.email)).find(({ subject }) => subject === 'The e-mail address of your account was changed');
      expect(notice!.text).not.toContain(address);
      expect(await audited(person, 'account.email_change_requested')).toEqual([{ outcome: 'done', client_id: 'app_person' }]);
      expect(await audited(person, 'account.email_changed')).toEqual([{ outcome: 'done', client_id: 'app_person' }]);

      const heir = await world.signsUp({ type: 'person', region: 'us', email: person.email });
      expect(heir.user_id).not.toBe(person.user_id);
    });

    it('is possible for a company at the portal, also back to the former address', async () => {
      const company = await newCompany();
      const changes = async (email: string) => {
        await company.asks(accountSecurity.requestEmailChange, { body: { password: company.password, email } });
        await company.asks(accountSecurity.confirmEmailChange, { body: { code: await codeTo(email) } });
      };
      const address = newAddress();

      await changes(address);
      expect(await entry({ ...company, email: address }, portal)).toBe('signed in');
      await changes(company.email);
      expect(await entry(company, portal)).toBe('signed in');
    });

    it('requires the current password', async () => {
      const [person, company, address] = [await newPerson(), await newCompany(), newAddress()];
      await expect(requestsEmail(person, address, 'a wrong password')).rejects.toEqual(refused('account.password_wrong', 403));
      const wrong = { password: 'a wrong password', email: address };
      await expect(company.asks(accountSecurity.requestEmailChange, { body: wrong })).rejects.toEqual(
        refused('account.password_wrong', 403),
      );
      expect(await mailsTo(address)).toEqual([]);
    });

    it('answers alike for an address that is taken, and mails only the owner of that address', async () => {
      const [person, owner, address] = [await newPerson(), await newPerson(), newAddress()];
      const free = await requestsEmail(person, address);
      const code = await codeTo(address);
      const taken = await requestsEmail(person, owner.email);

      expect(taken).toEqual(free);
      const mail = (await mailsTo(owner.email)).find(({ subject }) => !subject.includes('is your code'))!;
      expect(mail).toMatchObject({ subject: 'You already have an account' });
      expect(mail).not.toHaveProperty('code');
      await expect(confirmsEmail(person, code)).rejects.toEqual(codeInvalid);
    });

    it("refuses the account's own address as taken, in any letter case", async () => {
      const [person, company] = [await newPerson(), await newCompany()];
      await expect(requestsEmail(person, person.email.toUpperCase())).rejects.toEqual(refused('account.email_taken', 409));
      const own = { password: company.password, email: company.email };
      await expect(company.asks(accountSecurity.requestEmailChange, { body: own })).rejects.toEqual(refused('account.email_taken', 409));
    });

    it.each([
      ['another header in it', 'ana@changes.example\r\nBcc: victim@changes.example'],
      ['a list of two', 'ana@changes.example, victim@changes.example'],
      ['a name', 'Ana <ana@changes.example>'],
      ['a line at its end', 'ana@changes.example\n'],
      ['a NUL', 'ana\u0000@changes.example'],
      ['letters that look like others', '\u0430na@changes.example'],
      ['a letter that lower case makes another', '\u212Aim@changes.example'],
      ['a host in another script', 'ana@ex\u00e4mple.example'],
      ['a length of more than 254', `${'a'.repeat(250)}@changes.example`],
      ['nothing', ''],
    ])('refuses an address with %s', async (_, email) => {
      await expect(requestsEmail(world.person('ANA'), email)).rejects.toEqual(refused('account.email_invalid', 400));
      await expect(world.acme.asks(accountSecurity.requestEmailChange, { body: { password: world.acme.password, email } })).rejects.toEqual(
        refused('account.email_invalid', 400),
      );
    });

    it('accepts only the newest code of the account, once, within an hour, and locks after five wrong codes', async () => {
      const [person, other] = [await newPerson(), await newPerson()];
      const [first, second, others] = [newAddress(), newAddress(), newAddress()];
      await expect(confirmsEmail(person, 'AB23CD45')).rejects.toEqual(codeInvalid);
      await requestsEmail(person, first);
      const old = await codeTo(first);
      await requestsEmail(person, second);
      await requestsEmail(other, others);
      const code = await codeTo(second);
      const othersCode = await codeTo(others);

      await expect(confirmsEmail(person, old)).rejects.toEqual(codeInvalid);
      await expect(confirmsEmail(person, othersCode)).rejects.toEqual(codeInvalid);
      for (let n = 2; n < 5; n++) await expect(confirmsEmail(person, 'WRNG2345')).rejects.toEqual(codeInvalid);
      await expect(confirmsEmail(person, code)).rejects.toEqual(codeInvalid);
      expect(await emailOf(person)).toBe(person.email);

      await confirmsEmail(other, othersCode);
      await expect(confirmsEmail(other, othersCode)).rejects.toEqual(codeInvalid);
      const third = newAddress();
      await requestsEmail(other, third);
      await world.passes({ hours: EMAIL_CODE_HOURS });
      const { access_token: token } = await enters(phone, { ...other, email: others });
      const late = world.stranger.asks(
        personSecurity.confirmPersonEmailChange,
        { body: { code: await codeIn(other) } },
        { at: world.regionUrl('eu'), token },
      );
      await expect(late).rejects.toEqual(codeInvalid);
      expect(await emailOf(other)).toBe(others);
    });

    it('mails at most five codes a day for one account', async () => {
      const [person, victim] = [await newPerson(), newAddress()];
      for (let n = 0; n < 5; n++) await requestsEmail(person, victim);
      expect(await mailsTo(victim)).toHaveLength(1); // codes that count no more are not sent
      await expect(requestsEmail(person, victim)).rejects.toEqual(tooMany);
      await expect(requestsEmail(person, newAddress())).rejects.toEqual(tooMany);

      await world.passes({ hours: 24 });
      await person.signsIn();
      await requestsEmail(person, victim);
      await confirmsEmail(person, await codeTo(victim));
    });

    it('mails the first code of an account whatever other accounts asked for, and further ones while the address got few', async () => {
      const [owner, address] = [await newPerson(), newAddress()];
      const strangers = await Promise.all([newPerson(), newPerson(), newPerson(), newPerson()]);
      await Promise.all(
        strangers.map(async (stranger) => {
          for (let n = 0; n < 5; n++) await requestsEmail(stranger, address);
        }),
      );
      const before = (await mailsTo(address)).map(({ code }) => code);
      expect(before).toHaveLength(strangers.length);

      await requestsEmail(owner, address);
      const [code] = (await mailsTo(address)).flatMap((mail) => (before.includes(mail.code) ? [] : [mail.code!]));
      await expect(requestsEmail(owner, address)).rejects.toEqual(tooMany);
      expect(await mailsTo(address)).toHaveLength(strangers.length + 1);

      await confirmsEmail(owner, code!);
      expect(await emailOf(owner)).toBe(address);
    });

    it('succeeds for only one of several accounts that confirm the same address at once', async () => {
      const people = await Promise.all([newPerson(), newPerson(), newPerson()]);
      const address = newAddress();
      const codes: string[] = [];
      for (const person of people) {
        await requestsEmail(person, address);
        codes.push((await mailsTo(address)).map(({ code }) => code!).find((code) => !codes.includes(code))!);
      }

      const done = await Promise.allSettled(people.map((person, n) => confirmsEmail(person, codes[n]!)));

      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const { reason } of done.filter((one) => one.status === 'rejected')) expect(reason).toEqual(refused('account.email_taken', 409));
      expect(await many(db, sql`select 1 from account where email = ${address}`)).toHaveLength(1);
      const loser = done.findIndex(({ status }) => status === 'rejected');
      expect(await emailOf(people[loser]!)).toBe(people[loser]!.email);
    });

    it('competes with a sign-up for the same address, and the first confirmation wins', async () => {
      const company = await newCompany();
      const [first, second] = [newAddress(), newAddress()];
      const begins = async (email: string) => {
        const { region, password, display_name } = company;
        const { public_key, encrypted_private_key } = await company.asks(account.readAccountKeys, {});
        const wrapped = { ...encrypted_private_key, iter: KEY_WRAP.iterations };
        const body = {
          type: 'person',
          language: 'en',
          email,
          password,
          display_name,
          region,
          public_key,
          encrypted_private_key: wrapped,
        } as const;
        return world.stranger.asks(identity.signUp, { body });
      };
      const confirms = async ({ sign_up_id }: Output<typeof identity.signUp>) => {
        const { code } = (await world.mails()).find((mail) => mail.sign_up_id === sign_up_id)!;
        return world.stranger.asks(identity.confirmSignUp, { params: { signUpId: sign_up_id }, body: { code: code! } });
      };
      const asks = (email: string) => company.asks(accountSecurity.requestEmailChange, { body: { password: company.password, email } });

      const signUp = await begins(first);
      await asks(first);
      await confirms(signUp);
      const late = company.asks(accountSecurity.confirmEmailChange, { body: { code: await codeTo(first) } });
      await expect(late).rejects.toEqual(refused('account.email_taken', 409));

      const lateSignUp = await begins(second);
      await asks(second);
      await company.asks(accountSecurity.confirmEmailChange, { body: { code: await codeTo(second) } });
      await expect(confirms(lateSignUp)).rejects.toEqual(refused('account.email_taken', 409));
      expect(await emailOf(company)).toBe(second);
    });

    it('is refused as taken on confirmation when another account got the address meanwhile', async () => {
      const [person, company, address] = [await newPerson(), await newCompany(), newAddress()];
      await requestsEmail(person, address);
      const code = await codeTo(address);
      await execute(db, sql`update account set email = ${address} where user_id = ${company.user_id}`);

      await expect(confirmsEmail(person, code)).rejects.toEqual(refused('account.email_taken', 409));
      await execute(db, sql`update account set email = ${company.email} where user_id = ${company.user_id}`);
      await confirmsEmail(person, code);
      expect(await emailOf(person)).toBe(address);
    });

    it('transfers known IP addresses to the new e-mail address, and deletes counted wrong passwords', async () => {
      const [person, address] = [await newPerson(), newAddress()];
      await expect(requestsEmail(person, address, 'a wrong password')).rejects.toEqual(refused('account.password_wrong', 403));
      const failuresOf = (email: string) => many(db, sql`select 1 from password_failures where account_key = ${accountKeyOf(email)}`);
      expect(await failuresOf(person.email)).not.toEqual([]);
      await requestsEmail(person, address);
      await confirmsEmail(person, await codeTo(address));

      expect(await failuresOf(person.email)).toEqual([]);
      const known = (email: string) => many(db, sql`select address from sign_in_address where account_key = ${accountKeyOf(email)}`);
      expect(await known(person.email)).toEqual([]);
      expect(await known(address)).toHaveLength(1);
    });

    it('invalidates a pending deletion code, which was mailed to the old address', async () => {
      const [person, address] = [await newPerson(), newAddress()];
      await person.phone.requestsDeletion();
      const deletion = (await mailsTo(person.email)).find(({ subject }) => subject.includes('deletes'))!.code!;
      await requestsEmail(person, address);
      await confirmsEmail(person, await codeTo(address));

      await expect(person.phone.confirmsDeletion(deletion)).rejects.toEqual(codeInvalid);
      await person.phone.requestsDeletion();
      await person.phone.confirmsDeletion((await mailsTo(address)).find(({ subject }) => subject.includes('deletes'))!.code!);
      expect(await emailOf(person)).toBeUndefined();
      expect(await mailsTo(address)).toEqual([]);
      // The owner of the old address may be another one than whoever deleted the account.
      expect(await subjectsTo(person.email)).toContain('The e-mail address of your account was changed');
    });

    it('the request is deleted with the account', async () => {
      const [person, address] = [await newPerson(), newAddress()];
      await requestsEmail(person, address);
      await person.phone.requestsDeletion();
      await person.phone.confirmsDeletion((await mailsTo(person.email)).find(({ subject }) => subject.includes('deletes'))!.code!);

      expect(await mailsTo(address)).toEqual([]);
      expect(await many(db, sql`select 1 from email_change where user_id = ${person.user_id}`)).toEqual([]);
    });

    it('the request is deleted after two days, also when it was never confirmed', async () => {
      const [person, address] = [await newPerson(), newAddress()];
      await requestsEmail(person, address);
      const rows = () => many(db, sql`select 1 from email_change where user_id = ${person.user_id}`);
      const sweeps = (hours: number) =>
        many(db, new EmailChangesStore(db, new AccountMailStore(db)).deleteExpired(new Date(world.now.getTime() + hours * HOUR_MS), 1000));

      await sweeps(47);
      expect(await rows()).toHaveLength(1);
      await sweeps(48);
      expect(await rows()).toEqual([]);
    });

    it('is refused while the account is disabled', async () => {
      const [person, address] = [await newPerson(), newAddress()];
      await requestsEmail(person, address);
      const confirms = async () =>
        operator.request(FRONT_DOOR.confirmEmailChange, { region: 'eu' }, { user_id: person.user_id, code: await codeTo(address) });
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: person.user_id, disabled: true });

      await expect(confirms()).rejects.toEqual(isOver);
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: person.user_id, disabled: false });
      await confirms();
      expect(await emailOf(person)).toBe(address);
    });

    /** Tells the code of a newer request of the user from older ones, whose mails are gone. */
    async function codeIn({ user_id }: User): Promise<string> {
      const row = await one<{ email: string }>(
        db,
        sql`select email from email_change where user_id = ${user_id} order by number desc limit 1`,
      );
      return codeTo(row!.email);
    }
  });

  describe('with a second factor', () => {
    const codeRequired = refused('account.code_required', 403);
    const users = async () => {
      const all: (Person | Company)[] = [await newPerson(), await newCompany()];
      for (const user of all) await user.secondFactor.switchesOn(() => world.now);
      return all;
    };
    const isPerson = (user: Person | Company): user is Person => 'phone' in user;
    type Given = { password?: string; code?: string };
    const setsPassword = (user: Person | Company, { password = user.password, ...code }: Given) => {
      const body = { password, new_password: NEW_PASSWORD, ...code };
      return isPerson(user)
        ? user.asks(personSecurity.changePersonPassword, { body })
        : user.asks(accountSecurity.changePassword, { body });
    };
    const setsEmail = (user: Person | Company, email: string, { password = user.password, ...code }: Given) => {
      const body = { password, email, ...code };
      return isPerson(user)
        ? user.asks(personSecurity.requestPersonEmailChange, { body })
        : user.asks(accountSecurity.requestEmailChange, { body });
    };

    it('a change requires a code in addition to the password, and accepts each code once', async () => {
      for (const user of await users()) {
        const address = newAddress();
        await expect(setsEmail(user, address, {})).rejects.toEqual(codeRequired);
        await expect(setsPassword(user, {})).rejects.toEqual(codeRequired);
        expect(await mailsTo(address)).toEqual([]);
        await expect(setsEmail(user, address, { code: 'ABCDEFGHJK' })).rejects.toEqual(codeInvalid);
        await expect(setsPassword(user, { code: 'ABCDEFGHJK' })).rejects.toEqual(codeInvalid);
        await expect(setsPassword(user, { code: '123-456' })).rejects.toEqual(codeInvalid);

        const code = await user.secondFactor.nextCode();
        await setsEmail(user, address, { code });
        expect(await mailsTo(address)).toHaveLength(1);
        await expect(setsPassword(user, { code })).rejects.toEqual(codeInvalid);
        await setsPassword(user, { code: user.secondFactor.backupCodes[0]! });
        expect(await mailsTo(address)).toEqual([]);
      }
    });

    it('a change checks the password first, and reveals nothing of the second factor without it', async () => {
      for (const user of await users()) {
        const password = 'a wrong password';
        const code = await user.secondFactor.nextCode();
        await expect(setsPassword(user, { password })).rejects.toEqual(refused('account.password_wrong', 403));
        await expect(setsEmail(user, newAddress(), { password, code })).rejects.toEqual(refused('account.password_wrong', 403));
        await setsPassword(user, { code });
      }
    });

    it('wrong codes are counted together for password and e-mail changes', async () => {
      for (const user of await users()) {
        const guesses = Array.from({ length: 3 }, () => [setsPassword, setsEmail] as const).flat();
        const keys: string[] = [];
        for (const guess of guesses) {
          const call =
            guess === setsPassword ? setsPassword(user, { code: 'ABCDEFGHJK' }) : setsEmail(user, newAddress(), { code: 'ABCDEFGHJK' });
          keys.push(await call.then(String, ({ key }: { key: string }) => key));
        }
        expect(keys.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'account.code_invalid'));
        expect(keys.at(-1)).toBe('rate_limit.exceeded');
      }
    });

    it("a change to the account's own address is refused without requesting a code", async () => {
      for (const user of await users()) await expect(setsEmail(user, user.email, {})).rejects.toEqual(refused('account.email_taken', 409));
    });
  });

  it('a password change ignores the code while the second factor is off', async () => {
    const person = await newPerson();
    await person.asks(personSecurity.changePersonPassword, {
      body: { password: person.password, new_password: NEW_PASSWORD, code: '123456' },
    });
    expect(await entry(withPassword(person, NEW_PASSWORD))).toBe('signed in');
  });

  it('refuse a body with unknown members', async () => {
    const [person, company] = [await newPerson(), await newCompany()];
    const password = { password: 'x', new_password: NEW_PASSWORD, why: 'I want to' } as never;
    const email = { password: 'x', email: 'a@changes.example', why: 'I want to' } as never;
    const code = { code: 'AB23CD45', why: 'I want to' } as never;
    const requests = await Promise.allSettled([
      person.asks(personSecurity.changePersonPassword, { body: password }),
      person.asks(personSecurity.requestPersonEmailChange, { body: email }),
      person.asks(personSecurity.confirmPersonEmailChange, { body: code }),
      company.asks(accountSecurity.changePassword, { body: password }),
      company.asks(accountSecurity.requestEmailChange, { body: email }),
      company.asks(accountSecurity.confirmEmailChange, { body: code }),
    ]);
    expect(requests).toEqual(requests.map(() => ({ status: 'rejected', reason: refused('request.invalid', 400) })));
    const wrong = company.asks(accountSecurity.confirmEmailChange, { body: { code: 'AB23CD45' } });
    await expect(wrong).rejects.toEqual(codeInvalid);
  });

  it('are accepted only from the home region, sealed for this use, and not from a person at the portal', async () => {
    const person = await newPerson();
    const address = '192.0.2.1';
    const [key, elsewhere] = [
      await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {}),
      await operator.request(FRONT_DOOR.passwordKey, { region: 'us' }, {}),
    ];
    const { user_id } = person;
    const sealedToCheck = sealToProcess(key.public_key, { use: 'codase password check', owner_id: user_id }, person.password);
    const changes = (region: string, replica: string) =>
      operator.request(FRONT_DOOR.changePassword, { region, replica }, { user_id, address, sealed: sealedToCheck });
    const asksFor = (email: string) =>
      operator.request(
        FRONT_DOOR.requestEmailChange,
        { region: 'eu', replica: key.replica },
        { user_id, address, sealed: sealedToCheck, email },
      );

    await expect(changes('us', elsewhere.replica)).rejects.toEqual(refused('region.rebase_required', 421));
    await expect(changes('eu', key.replica)).rejects.toEqual(refused('request.invalid', 400));
    await expect(asksFor('mallory@changes.example')).rejects.toEqual(refused('request.invalid', 400));
    const sealedForMine = sealToProcess(
      key.public_key,
      { use: 'codase email change', owner_id: `${user_id} mine@changes.example` },
      JSON.stringify({ password: person.password }),
    );
    const exchanged = operator.request(
      FRONT_DOOR.requestEmailChange,
      { region: 'eu', replica: key.replica },
      { user_id, address, sealed: sealedForMine, email: 'mallory@changes.example' },
    );
    await expect(exchanged).rejects.toEqual(refused('request.invalid', 400));
    const atPortal = person.asks(accountSecurity.changePassword, { body: { password: person.password, new_password: NEW_PASSWORD } });
    await expect(atPortal).rejects.toEqual(refused('auth.client_endpoint_forbidden', 403));
  });
});
