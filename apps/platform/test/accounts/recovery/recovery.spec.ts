import { createPublicKey } from 'node:crypto';
import {
  account,
  accountClients,
  accountSecurity,
  companyData,
  FRONT_DOOR,
  OPERATOR,
  PAGE_ITEMS,
  RECOVERY_CODE_MINUTES,
  RECOVERY_COPY_CHARS,
  recovery,
  serviceClient,
  services,
  signInApps,
  RecoveryKind,
  webhooks,
  type Capability,
  type RecoveryAct,
  type Refusal,
} from '@codase/contracts';
import { CryptoRefusal, importValuePublicKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue, readPrivateKeyPem } from '@codase/crypto/open';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, type Backend, type Company, type World } from '@codase/testing';
import { clearKey, SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { AccountMailStore } from '../../../src/access/account-mail/index.ts';
import { ClientsStore } from '../../../src/access/clients/index.ts';
import { sealToProcess } from '../../../src/kit/secrets/process-seal.ts';
import { CurrentCopies } from '../../../src/accounts/recovery/current-copies.service.ts';
import { EndedCopies } from '../../../src/accounts/recovery/ended-copies.worker.ts';
import { putCopy } from '../../../src/accounts/recovery/recovery-copies.store.ts';
import { RecoveryCodesStore } from '../../../src/accounts/recovery/recovery-codes.store.ts';
import { FrontDoorRequests } from '../../../src/foundation/regions/index.ts';
import { frontDoorDatabase } from '../../access/clients/account-clients-database.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

/** The recovery key of most companies here. Making one takes half a second of CPU. */
const KEY = SERVICE_KEYS[3];
const OTHER_KEY = SERVICE_KEYS[4];
const PASSPHRASE = 'an umbrella, two maps and a kettle';
const NOBODYS = 'svc_nobodys';

describe('recovery of secrets that are shown once @spec D1-5.1 @spec D1-5.8 @spec D1-5.9 @gap D1-5.1', () => {
  let moving: MovingWorld;
  let world: World;
  let operator: Bus;
  let frontDoor: DataSource;
  let region: DataSource;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ world, operator } = moving);
    frontDoor = moving.internals.database('front_door');
    region = moving.internals.database('region_eu');
  });
  afterAll(() => moving?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const notFound = refused('account.recovery_not_found', 404);
  const noSubject = refused('account.recovery_subject_not_found', 404);
  const codeInvalid = refused('account.code_invalid', 400);
  const passwordWrong = refused('account.password_wrong', 403);
  const forbidden = refused('auth.client_endpoint_forbidden', 403);
  const invalid = refused('request.invalid', 400);

  const newCompany = () => world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
  /** A company with a recovery key, and a service with a data client. */
  async function withClient(): Promise<{ company: Company; params: { id: string }; client_id: string; client_secret: string }> {
    const company = await newCompany();
    await company.recovery.setsKey(KEY);
    return { company, ...(await newClient(company)) };
  }
  async function newClient(company: Company) {
    const { id } = await moving.creates(company, 'Club');
    const params = { id };
    const { client_id, client_secret } = await company.asks(serviceClient.createServiceClient, { params, body: {} });
    return { params, client_id, client_secret };
  }
  /** The same, with a copy of the secret. */
  async function withCopy() {
    const made = await withClient();
    return { ...made, copy: await made.company.recovery.keeps('client_secret', made.client_id, made.client_secret) };
  }
  const newAutomation = async (company: Company, capabilities: Capability[]): Promise<Backend> => {
    const made = await company.asks(accountClients.createAccountClient, { body: { name: 'robot', capabilities } });
    return world.backendOf(company, { ...made, service_id: null } as never);
  };
  const WEBHOOK = { url: 'https://club.acme.example/hooks', auth_type: 'hmac' } as const;
  /** A webhook whose signing secret the platform makes. */
  async function newWebhook(company: Company, params: { id: string }) {
    const { id, hmac_secret_once } = await company.asks(webhooks.createWebhook, { params, body: WEBHOOK });
    return { id, hmac_secret: hmac_secret_once! };
  }
  const works = (company: Company, client_id: string, client_secret: string, service_id: string | null = null) =>
    world.backendOf(company, { client_id, client_secret, service_id } as never).getsToken();

  const mailsTo = async ({ email }: { email: string }) => (await world.mails()).filter(({ to }) => to === email);
  const codesTo = async (company: Company) =>
    (await mailsTo(company)).filter(({ subject }) => subject.includes('recovers your secrets')).map(({ code }) => code!);
  const noticesTo = async (company: Company, subject: string) => (await mailsTo(company)).filter((mail) => mail.subject === subject);
  /** Asks for a code and reads it in the mailbox. */
  async function proofOf(company: Company) {
    await company.recovery.asksCode();
    const [code] = await codesTo(company);
    return { password: company.password, code: code! };
  }
  /** A code that is not the given one. */
  const wrong = (code: string) => (code === 'WRNG2345' ? 'WRNG2346' : 'WRNG2345');
  const copiesOf = ({ user_id }: Company, db = region) =>
    many<{ copy_id: string; value: string }>(db, sql`select copy_id, value from recovery_copy where company_user_id = ${user_id}`);
  const audited = (db: DataSource, { user_id }: Company, act: string) =>
    many<{ outcome: string; object: string }>(
      db,
      sql`select outcome, object from audit.entry where account_id = ${user_id} and act = ${act} order by seq`,
    );

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('a recovery changes nothing and can be repeated when the front door replica that judges it is killed', async () => {
    const { company, copy } = await withCopy();
    const proof = await proofOf(company);
    const first = (await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {})).replica;
    const replica = await world.startsReplica('front-door');
    const second = await eventually(async () => {
      const key = await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {});
      return key.replica === first ? undefined : key;
    });
    const use = { use: 'codase recovery recover', owner_id: `${company.user_id} ${copy.id}` };
    const judged = () =>
      operator.request(
        FRONT_DOOR.judgeRecovery,
        { region: 'eu', replica: second.replica },
        {
          user_id: company.user_id,
          address: '192.0.2.1',
          sealed: sealToProcess(second.public_key, use, company.password),
          code: proof.code,
          act: 'recover',
          object: copy.id,
        },
      );
    const others = await world.opensDatabase('front_door');
    await inOwnTransaction(frontDoor, async (tx) => {
      await execute(tx, sql`select 1 from account where user_id = ${company.user_id} for update`);
      // Nobody answers this request any more, and nobody waits for the answer.
      const judgement = judged().then(
        () => 'judged',
        (error: unknown) => String(error),
      );
      const waits = eventually(async () => ((await lockWaits(others, 'transactionid')) > 0 ? 'waits' : undefined));
      expect(await Promise.race([judgement, waits])).toBe('waits');
      await replica.kill();
    });
    await others.destroy();

    expect(await audited(frontDoor, company, 'account.secret_recovered')).toEqual([]);
    expect(await noticesTo(company, 'Secrets of your account were recovered')).toEqual([]);
    await company.recovery.recovers(copy, proof);
  });

  describe('recovering a secret', () => {
    it('returns the lost secret of a data client, which still gets a token', async () => {
      const company = await newCompany();
      await company.recovery.makesKey(PASSPHRASE);
      const { client_id, client_secret, params } = await newClient(company);
      await company.recovery.keeps('client_secret', client_id, client_secret);

      const [copy] = await company.recovery.lists();
      expect(copy).toEqual({ id: copy!.id, kind: 'client_secret', subject_id: client_id, created_at: world.now.toISOString() });
      const recovered = await company.recovery.recovers(copy!, await proofOf(company));
      const secret = await company.recovery.opens(recovered, PASSPHRASE);

      const backend = world.backendOf(company, { client_id, client_secret: secret, service_id: params.id } as never);
      expect(await backend.asks(companyData.whoami, {})).toEqual({ company_user_id: company.user_id, service_id: params.id });
      await expect(company.recovery.opens(recovered, 'another passphrase')).rejects.toEqual(new CryptoRefusal('private_key'));
      expect(await audited(frontDoor, company, 'account.secret_recovered')).toEqual([{ outcome: 'done', object: copy!.id }]);
      expect(await noticesTo(company, 'Secrets of your account were recovered')).toHaveLength(1);
    });

    it("returns the lost passphrase of a service, which opens the service's private key in both forms", async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      const { passphrase, pem, public_key, encrypted_private_key } = SERVICE_KEYS[5];
      const wrapped = { ...encrypted_private_key, iter: 100_000 as const };
      const { id } = await company.asks(services.createService, {
        body: {
          name: 'Club',
          admin_email: 'club@acme.example',
          public_key,
          encrypted_private_key: wrapped,
          private_key_pem: pem,
        },
      });
      const copy = await company.recovery.keeps('service_passphrase', id, passphrase);

      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      const again = await company.recovery.opens(recovered, KEY.passphrase);

      const service = await company.asks(services.readService, { params: { id } });
      const value = await sealValue(await importValuePublicKey(service.public_key), 'a value of a customer');
      const opened = await importValuePrivateKey(await openEncryptedPrivateKey(service.encrypted_private_key, again));
      expect(await openValue(opened, value)).toBe('a value of a customer');
      const file = await company.asks(services.downloadPrivateKey, { params: { id } });
      const fromPem = await importValuePrivateKey(await readPrivateKeyPem(Buffer.from(file.bytes).toString(), again));
      expect(await openValue(fromPem, value)).toBe('a value of a customer');
    });

    it('returns the lost secret of an account client', async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      const { client_id, client_secret } = await newAutomation(company, ['service_management']);
      const copy = await company.recovery.keeps('client_secret', client_id, client_secret);

      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      const secret = await company.recovery.opens(recovered, KEY.passphrase);
      expect(secret).toBe(client_secret);
      expect(await works(company, client_id, secret)).toMatchObject({ token_type: 'Bearer' });
    });

    it('returns the lost secret of a sign-in app', async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      const { id, client_secret } = await company.signInApps.creates();
      const copy = await company.recovery.keeps('app_secret', id, client_secret);

      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(client_secret);
    });

    it('returns the lost HMAC secret of a webhook', async () => {
      const { company, params } = await withClient();
      const { id, hmac_secret } = await newWebhook(company, params);
      const copy = await company.recovery.keeps('webhook_secret', id, hmac_secret);

      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(hmac_secret);
    });

    it('is possible for every kind of secret, and each kind accepts only subjects of its own', async () => {
      const { company, params, client_id } = await withClient();
      const subjects: Record<RecoveryKind, string> = {
        client_secret: client_id,
        service_passphrase: params.id,
        webhook_secret: (await newWebhook(company, params)).id,
        app_secret: (await company.signInApps.creates()).id,
      };
      for (const kind of RecoveryKind.options) {
        const copy = await company.recovery.keeps(kind, subjects[kind], 'a secret');
        expect(copy).toMatchObject({ kind, subject_id: subjects[kind] });
      }

      // What one kind has is nothing of another kind.
      for (const kind of RecoveryKind.options)
        for (const other of RecoveryKind.options.filter((one) => one !== kind))
          await expect(company.recovery.keeps(other, subjects[kind], 'a secret')).rejects.toEqual(noSubject);
    });

    it('exposes nothing: lists have no sealed value, and rows have no plaintext of the secret or the code', async () => {
      const { company, copy, client_secret } = await withCopy();
      const { code } = await proofOf(company);

      const { value } = (await copiesOf(company))[0]!;
      const page = JSON.stringify(await company.asks(recovery.listRecoveryCopies, { query: {} }));
      expect(page).toContain(copy.id);
      for (const secret of [client_secret, value, KEY.encrypted_private_key.data]) expect(page).not.toContain(secret);
      expect(value).not.toContain(client_secret);
      const [row] = await many(frontDoor, sql`select * from recovery_code where user_id = ${company.user_id}`);
      expect(JSON.stringify(row)).not.toContain(code);
      expect(JSON.stringify(await audited(region, company, 'account.recovery_copy_stored'))).not.toContain(client_secret);
    });
  });

  describe('the recovery key', () => {
    it('can be set once and never replaced; the same request may be repeated', async () => {
      const company = await newCompany();
      await expect(company.asks(recovery.readRecoveryKey, {})).rejects.toEqual(notFound);

      await company.recovery.setsKey(KEY);
      await company.recovery.setsKey(KEY);
      expect(await company.asks(recovery.readRecoveryKey, {})).toEqual({ public_key: KEY.public_key });
      const exists = refused('account.recovery_key_exists', 409);
      await expect(company.recovery.setsKey(OTHER_KEY)).rejects.toEqual(exists);
      const rewrapped = { ...KEY, encrypted_private_key: OTHER_KEY.encrypted_private_key };
      await expect(company.recovery.setsKey(rewrapped)).rejects.toEqual(exists);
      expect(await company.asks(recovery.readRecoveryKey, {})).toEqual({ public_key: KEY.public_key });
      expect(await audited(region, company, 'account.recovery_key_set')).toEqual([{ outcome: 'done', object: company.user_id }]);
    });

    it('is set by exactly one of several concurrent requests', async () => {
      const company = await newCompany();
      const keys = SERVICE_KEYS.slice(0, 5);
      const done = await Promise.allSettled(keys.map((key) => company.recovery.setsKey(key)));

      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const { reason } of done.filter((each) => each.status === 'rejected')) expect(reason.key).toBe('account.recovery_key_exists');
      const winner = keys[done.findIndex(({ status }) => status === 'fulfilled')]!;
      expect(await company.asks(recovery.readRecoveryKey, {})).toEqual({ public_key: winner.public_key });
    });

    const spki = createPublicKey(clearKey(3072)).export({ type: 'spki', format: 'der' }).toString('base64');
    const inTheClear = clearKey(2048).export({ type: 'pkcs8', format: 'der' }).toString('base64');
    it.each([
      ['a public key of 3072 bits', { public_key: spki }],
      ['a public key that is none', { public_key: 'bm8ga2V5' }],
      ['no public key', { public_key: undefined }],
      ['fewer rounds', { encrypted_private_key: { ...KEY.encrypted_private_key, iter: 1000 } }],
      ['a private key in the clear', { encrypted_private_key: { ...KEY.encrypted_private_key, data: inTheClear } }],
      ['another form', { encrypted_private_key: KEY.pem }],
    ])('is refused with %s', async (_, fault) => {
      const { public_key, encrypted_private_key } = KEY;
      const body = { public_key, encrypted_private_key, ...fault } as never;
      await expect(world.acme.asks(recovery.setRecoveryKey, { body })).rejects.toEqual(refused('account.key_invalid', 400));
    });
  });

  describe('a recovery copy', () => {
    it('is replaced by a newer copy of the same secret', async () => {
      const { company, copy, client_id, client_secret } = await withCopy();
      const newer = await company.recovery.keeps('client_secret', client_id, client_secret);

      expect(await company.recovery.lists()).toEqual([newer]);
      const proof = await proofOf(company);
      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(notFound);
      await company.recovery.recovers(newer, proof);
    });

    it('can be replaced only at the portal while its secret is still the current one', async () => {
      const { company, copy, params, client_id, client_secret } = await withCopy();
      const managing = await newAutomation(company, ['service_management']);
      const exists = refused('account.recovery_copy_exists', 409);

      await expect(managing.recovery.keeps('client_secret', client_id, 'rubbish')).rejects.toEqual(exists);
      await managing.recovery.keeps('service_passphrase', params.id, 'a passphrase');
      await expect(managing.recovery.keeps('service_passphrase', params.id, 'rubbish')).rejects.toEqual(exists);
      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(client_secret);

      const { client_secret: second } = await managing.asks(serviceClient.regenerateServiceSecret, { params });
      await managing.recovery.keeps('client_secret', client_id, second);
      await company.recovery.keeps('client_secret', client_id, second);
      await company.recovery.keeps('service_passphrase', params.id, 'a passphrase');
    });

    it('is stored only for a secret of the company itself', async () => {
      const { company, params, client_id } = await withClient();
      const theirs = await withClient();
      const automation = await newAutomation(theirs.company, []);
      const theirApp = await theirs.company.signInApps.creates();
      const theirWebhook = await newWebhook(theirs.company, theirs.params);
      const body = { ...WEBHOOK, auth_type: 'bearer', auth_token: 'a token' } as const;
      const unsigned = await company.asks(webhooks.createWebhook, { params, body });

      const tried = [
        ['client_secret', NOBODYS],
        ['client_secret', theirs.client_id],
        ['client_secret', automation.client_id],
        ['client_secret', 'app_portal'],
        ['client_secret', params.id],
        ['service_passphrase', theirs.params.id],
        ['service_passphrase', client_id],
        ['app_secret', theirApp.id],
        ['app_secret', 'app_portal'],
        ['webhook_secret', theirWebhook.id],
        ['webhook_secret', unsigned.id],
      ] as const;
      for (const [kind, subject_id] of tried) await expect(company.recovery.keeps(kind, subject_id, 'a secret')).rejects.toEqual(noSubject);
      expect(await copiesOf(company)).toEqual([]);
    });

    it('is neither found nor listed by another company', async () => {
      const { copy } = await withCopy();
      const { company } = await withClient();
      const proof = await proofOf(company);

      expect(await company.recovery.lists()).toEqual([]);
      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(notFound);
      for (const id of ['copy_nobodys', 'not an id']) await expect(company.recovery.recovers({ id }, proof)).rejects.toEqual(notFound);
    });

    it('is refused when it is not sealed, too long or malformed, or when there is no recovery key', async () => {
      const { company, params, client_id } = await withClient();
      const stores = (body: object) => company.asks(recovery.storeRecoveryCopy, { body: body as never });
      const subject = { kind: 'client_secret', subject_id: client_id };
      const value = await company.sealsFor(KEY, 'a secret');

      await expect(stores({ ...subject, value: 'the secret itself' })).rejects.toEqual(refused('contact_data.encryption_required', 400));
      await expect(stores({ ...subject, value: await company.sealsFor(KEY, 'x'.repeat(RECOVERY_COPY_CHARS)) })).rejects.toEqual(invalid);
      const bad = [{ kind: 'password' }, { subject_id: 'x'.repeat(65) }, { subject_id: 'a\u0000b' }, { why: 'I want to' }];
      for (const member of bad) await expect(stores({ ...subject, value, ...member })).rejects.toEqual(invalid);
      await expect(company.asks(recovery.listRecoveryCopies, { query: { cursor: 'no cursor' } })).rejects.toEqual(invalid);
      expect(await copiesOf(company)).toEqual([]);

      const without = await newCompany();
      const { client_id: subject_id } = await newClient(without);
      const pending = without.asks(recovery.storeRecoveryCopy, { body: { kind: 'client_secret', subject_id, value } });
      await expect(pending).rejects.toEqual(notFound);
      await stores({ kind: 'service_passphrase', subject_id: params.id, value });
    });

    it('is listed in pages, oldest first', async () => {
      const { company, params, client_id } = await withClient();
      await company.recovery.keeps('client_secret', client_id, 'one');
      await company.recovery.keeps('service_passphrase', params.id, 'two');
      const { client_id: third } = await newAutomation(company, []);
      await company.recovery.keeps('client_secret', third, 'three');
      const everything = await company.recovery.lists();

      const first = await company.asks(recovery.listRecoveryCopies, { query: { limit: 2 } });
      const rest = await company.asks(recovery.listRecoveryCopies, { query: { limit: 2, cursor: first.next_cursor! } });
      expect([...first.items, ...rest.items]).toEqual(everything);
      expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([2, 1, null]);
      await company.asks(recovery.listRecoveryCopies, { query: { limit: PAGE_ITEMS.most } });
    });

    it('can be stored but not recovered by an account client, and only within its capability groups', async () => {
      const { company, params, client_id } = await withClient();
      const managing = await newAutomation(company, ['service_management']);
      const signing = await newAutomation(company, ['oauth_apps']);
      const without = await newAutomation(company, ['customer_connections']);
      const webhook = await newWebhook(company, params);
      const app = await signing.asks(signInApps.createOauthApp, { body: { name: 'Login', redirect_uris: ['https://login.example/back'] } });

      const copy = await managing.recovery.keeps('client_secret', client_id, 'a secret');
      await managing.recovery.keeps('service_passphrase', params.id, 'a passphrase');
      await managing.recovery.keeps('webhook_secret', webhook.id, webhook.hmac_secret);
      await signing.recovery.keeps('app_secret', app.id, app.client_secret);
      expect(await managing.recovery.lists()).toHaveLength(4);
      // The secrets of account clients are shown at the portal alone.
      await expect(managing.recovery.keeps('client_secret', managing.client_id, 'a secret')).rejects.toEqual(forbidden);
      await expect(signing.recovery.keeps('client_secret', client_id, 'rubbish')).rejects.toEqual(forbidden);
      await expect(signing.recovery.keeps('service_passphrase', params.id, 'rubbish')).rejects.toEqual(forbidden);
      await expect(signing.recovery.keeps('webhook_secret', webhook.id, 'rubbish')).rejects.toEqual(forbidden);
      await expect(managing.recovery.keeps('app_secret', app.id, 'rubbish')).rejects.toEqual(forbidden);
      await expect(without.recovery.lists()).rejects.toEqual(forbidden);

      const proof = await proofOf(company);
      for (const automation of [managing, signing, without])
        for (const tries of [
          () => automation.recovery.setsKey(KEY),
          () => automation.recovery.asksCode(),
          () => automation.recovery.recovers(copy, proof),
          () => automation.recovery.resets(proof),
        ])
          await expect(tries()).rejects.toEqual(forbidden);
      expect(await company.recovery.opens(await company.recovery.recovers(copy, proof), KEY.passphrase)).toBe('a secret');
    });

    it('cannot be read by a data client or a person', async () => {
      const { company, params, client_id, client_secret, copy } = await withCopy();
      const proof = await proofOf(company);
      const backend = world.backendOf(company, { client_id, client_secret, service_id: params.id } as never);
      for (const caller of [backend, world.person('ANA')])
        for (const tries of [
          () => caller.asks(recovery.readRecoveryKey, {}),
          () => caller.asks(recovery.listRecoveryCopies, { query: {} }),
          () => caller.asks(recovery.recoverSecret, { params: { copyId: copy.id }, body: proof }),
        ])
          await expect(tries()).rejects.toEqual(forbidden);
    });
  });

  describe('a recovery copy of an outdated secret', () => {
    const lists = async (company: Company) => (await company.recovery.lists()).map(({ id }) => id);
    const isEnded = async (company: Company, copy: { id: string }) => {
      expect(await lists(company)).not.toContain(copy.id);
      await expect(company.recovery.recovers(copy, await proofOf(company))).rejects.toEqual(notFound);
    };
    /** The worker of the region eu, at work here. It may ask in the name of another region, where the company does not live. */
    async function endedCopies(name: 'eu' | 'us' = 'eu'): Promise<EndedCopies> {
      const requests = new FrontDoorRequests(await world.busAs(`platform-region-${name}`), { base: 'region', region: name });
      const current = new CurrentCopies(requests, region);
      return new EndedCopies(region, { isPaused: () => false }, current, silentLog);
    }

    it("ends when the data client's secret is regenerated or rotated, and its row is deleted", async () => {
      const { company, params, copy, client_id } = await withCopy();

      const { client_secret: second } = await company.asks(serviceClient.regenerateServiceSecret, { params });
      await isEnded(company, copy);
      const newer = await company.recovery.keeps('client_secret', client_id, second);
      expect(await lists(company)).toEqual([newer.id]);

      const { client_secret: third } = await company.asks(serviceClient.rotateServiceSecret, { params, body: {} });
      await isEnded(company, newer);
      const newest = await company.recovery.keeps('client_secret', client_id, third);
      await company.asks(serviceClient.endOldServiceSecret, { params });
      expect(await lists(company)).toEqual([newest.id]);
      const recovered = await company.recovery.recovers(newest, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(third);

      await (await endedCopies()).round();
      expect((await copiesOf(company)).map(({ copy_id }) => copy_id)).toEqual([newest.id]);
    });

    it("ends when the account client's secret is regenerated or the client is deleted", async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      const { client_id, client_secret } = await newAutomation(company, []);
      const params = { id: client_id };
      const copy = await company.recovery.keeps('client_secret', client_id, client_secret);

      const { client_secret: second } = await company.asks(accountClients.regenerateAccountSecret, { params });
      await isEnded(company, copy);
      const newer = await company.recovery.keeps('client_secret', client_id, second);
      await company.asks(accountClients.deleteAccountClient, { params });
      await isEnded(company, newer);
      await (await endedCopies()).round();
      expect(await copiesOf(company)).toEqual([]);
    });

    it("ends when the sign-in app's secret is regenerated or rotated, or the app is deleted", async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      const { id, client_secret } = await company.signInApps.creates();
      const copy = await company.recovery.keeps('app_secret', id, client_secret);

      const { client_secret: second } = await company.signInApps.regeneratesSecret(id);
      await isEnded(company, copy);
      const newer = await company.recovery.keeps('app_secret', id, second);
      const { client_secret: third } = await company.signInApps.rotatesSecret(id);
      await isEnded(company, newer);
      const newest = await company.recovery.keeps('app_secret', id, third);
      await company.signInApps.changes(id, { redirect_uris: ['https://login.example/other'] });
      await company.signInApps.endsOldSecret(id);
      expect(await lists(company)).toEqual([newest.id]);

      await company.signInApps.deletes(id);
      await isEnded(company, newest);
      await (await endedCopies()).round();
      expect(await copiesOf(company)).toEqual([]);
    });

    it("ends when the webhook's signing secret changes or the webhook is deleted, and on no other change", async () => {
      const { company, params } = await withClient();
      const { id, hmac_secret } = await newWebhook(company, params);
      const copy = await company.recovery.keeps('webhook_secret', id, hmac_secret);
      const changes = (change: object) =>
        company.asks(webhooks.changeWebhook, { params: { ...params, webhookId: id }, body: { ...WEBHOOK, ...change } });

      await changes({ url: 'https://other.acme.example/hooks' });
      await changes({ auth_type: 'bearer', auth_token: 'a token' });
      await changes({ hmac_secret });
      expect(await lists(company)).toEqual([copy.id]);
      await changes({ hmac_secret: 'one that the company has chosen' });
      await isEnded(company, copy);
      const newer = await company.recovery.keeps('webhook_secret', id, 'one that the company has chosen');
      expect(await lists(company)).toEqual([newer.id]);
      await company.asks(webhooks.deleteWebhook, { params: { ...params, webhookId: id } });
      await isEnded(company, newer);
      await (await endedCopies()).round();
      expect(await copiesOf(company)).toEqual([]);
    });

    it('ends when the secret is revoked after a restore', async () => {
      const { company, copy, client_id } = await withCopy();
      await new ClientsStore(frontDoor).revokeSecret(client_id, { epoch: 2, secret_version: 2 }, frontDoor);
      await isEnded(company, copy);
      expect(await lists(company)).toEqual([]);
    });

    it('is deleted at once with its data client or its service', async () => {
      const { company, params, client_id } = await withCopy();
      const passphrase = await company.recovery.keeps('service_passphrase', params.id, 'a passphrase');

      await company.asks(serviceClient.deleteServiceClient, { params });
      expect((await copiesOf(company)).map(({ copy_id }) => copy_id)).toEqual([passphrase.id]);
      await expect(company.recovery.keeps('client_secret', client_id, 'its secret')).rejects.toEqual(noSubject);

      await company.asks(services.deleteService, { params });
      expect(await copiesOf(company)).toEqual([]);
      await expect(company.recovery.keeps('service_passphrase', params.id, 'a passphrase')).rejects.toEqual(noSubject);
    });

    it('is not stored for a service that is being deleted', async () => {
      const { company, params, client_id, client_secret } = await withClient();
      let stored!: Promise<unknown>;
      await inOwnTransaction(region, async (tx) => {
        await execute(tx, sql`update service set transition = 'deleting', transition_due_at = now() where service_id = ${params.id}`);
        stored = company.recovery.keeps('client_secret', client_id, client_secret).catch((error: unknown) => error);
        await eventually(async () => (await lockWaits(region, 'transactionid')) > 0 || undefined);
      });
      expect(await stored).toEqual(noSubject);
      expect(await copiesOf(company)).toEqual([]);
    });

    it('does not replace the copy of a newer secret when it is stored late', async () => {
      const { company, params, client_id, client_secret } = await withCopy();
      const [old] = await many<{ secret_id: string }>(
        region,
        sql`select secret_id from recovery_copy where company_user_id = ${company.user_id}`,
      );
      const { client_secret: second } = await company.asks(serviceClient.regenerateServiceSecret, { params });
      const newer = await company.recovery.keeps('client_secret', client_id, second);
      const value = (await company.sealsFor(KEY, client_secret)) as never;
      const slow = { copy_id: 'copy_slow', kind: 'client_secret', subject_id: client_id, ...old!, service_id: params.id, value } as const;
      const row = { ...slow, company_user_id: company.user_id, created_at: world.now };
      await inOwnTransaction(region, async (tx) => void (await putCopy(tx, row, { mayReplace: true })));

      expect(await lists(company)).toEqual([newer.id]);
      const recovered = await company.recovery.recovers(newer, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(second);
    });

    it("is deleted only by the worker of the company's home region, and only once the secret is outdated", async () => {
      const { company, copy, params } = await withCopy();
      const rows = async () => (await copiesOf(company)).map(({ copy_id }) => copy_id);
      await (await endedCopies()).round();
      expect(await rows()).toEqual([copy.id]);

      await company.asks(serviceClient.regenerateServiceSecret, { params });
      expect(await (await endedCopies('us')).round()).toBe(0);
      await (await endedCopies()).round();
      expect(await rows()).toEqual([]);
    });

    it('is deleted even when the front door cannot answer for another company', async () => {
      const [first, second] = (await Promise.all([withCopy(), withCopy()])).toSorted((one, other) =>
        one.company.user_id < other.company.user_id ? -1 : 1,
      );
      const livesIn = (name: string) =>
        execute(frontDoor, sql`update account set region = ${name} where user_id = ${first!.company.user_id}`);
      await second!.company.asks(serviceClient.regenerateServiceSecret, { params: second!.params });

      await livesIn('a region without a base');
      await expect((await endedCopies()).round()).rejects.toMatchObject({ key: 'service.unavailable' });
      await livesIn('eu');
      expect(await copiesOf(second!.company)).toEqual([]);
      expect(await copiesOf(first!.company)).toHaveLength(1);
    });

    it('is found by the worker on every page of every company', async () => {
      const [first, second] = [await withCopy(), await withCopy()];
      const { company, params } = first;
      const { user_id } = company;
      const some = sql`
        insert into recovery_copy (copy_id, company_user_id, kind, subject_id, secret_id, value, created_at)
        select 'copy_many_' || n, ${user_id}, 'client_secret', 'svc_gone_' || n, 'gone', 'x', timestamptz '2026-01-01'
          from generate_series(1, 450) n`;
      await execute(region, some);
      const passphrase = await company.recovery.keeps('service_passphrase', params.id, 'a passphrase');

      await (await endedCopies()).round();
      expect((await copiesOf(company)).map(({ copy_id }) => copy_id).toSorted()).toEqual([first.copy.id, passphrase.id].toSorted());
      expect((await second.company.recovery.lists()).map(({ id }) => id)).toEqual([second.copy.id]);
    });
  });

  describe('the recovery code', () => {
    it('recovers every copy of the account until it expires, each time with the password, and one mail reports it', async () => {
      const { company, params, copy } = await withCopy();
      const other = await company.recovery.keeps('service_passphrase', params.id, 'a passphrase');
      const { expires_at } = await company.recovery.asksCode();
      expect(expires_at).toBe(new Date(world.now.getTime() + RECOVERY_CODE_MINUTES * 60_000).toISOString());
      const proof = { password: company.password, code: (await codesTo(company))[0]! };

      const opened = await company.recovery.recovers(copy, proof);
      expect(await company.recovery.recovers(copy, proof)).toEqual(opened);
      await world.passes({ minutes: RECOVERY_CODE_MINUTES - 1 });
      await Promise.all([company.recovery.recovers(other, proof), company.recovery.recovers(copy, proof)]);
      expect(await audited(frontDoor, company, 'account.secret_recovered')).toHaveLength(4);
      expect(await noticesTo(company, 'Secrets of your account were recovered')).toHaveLength(1);

      await world.passes({ minutes: 1 });
      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(codeInvalid);
      await company.recovery.recovers(copy, await proofOf(company));
      expect(await noticesTo(company, 'Secrets of your account were recovered')).toHaveLength(2);
    });

    it('is refused with a wrong password, which counts as at sign-in and not as a wrong code', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      for (let n = 0; n < 5; n++)
        await expect(company.recovery.recovers(copy, { ...proof, password: `guess number ${n}` })).rejects.toEqual(passwordWrong);

      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(refused('rate_limit.exceeded', 429));
      await expect(company.recovery.resets({ ...proof, password: 'another guess' })).rejects.toEqual(refused('rate_limit.exceeded', 429));
      await world.passes({ minutes: 1 });
      await company.recovery.recovers(copy, proof);
    });

    it('is accepted only as the newest code of the account, and is void after five wrong codes', async () => {
      const { company, copy } = await withCopy();
      const other = await newCompany();
      const { password } = company;
      await expect(company.recovery.recovers(copy, { password, code: 'AB23CD45' })).rejects.toEqual(codeInvalid);
      const old = await proofOf(company);
      const proof = await proofOf(company);
      expect(await codesTo(company)).toEqual([proof.code]); // a code that counts no more is not sent
      const { code: theirs } = await proofOf(other);

      for (const code of [old.code, theirs, wrong(proof.code), wrong(proof.code)])
        await expect(company.recovery.recovers(copy, { password, code })).rejects.toEqual(codeInvalid);
      await company.recovery.recovers(copy, proof);
      await expect(company.recovery.resets({ password, code: wrong(proof.code) })).rejects.toEqual(codeInvalid);
      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(codeInvalid);
      // Refusals are written a moment later, several together.
      await eventually(async () => {
        const rows = await audited(frontDoor, company, 'account.secret_recovered');
        return rows.filter(({ outcome }) => outcome === 'account.code_invalid').length === 6 || undefined;
      });

      await company.recovery.recovers(copy, await proofOf(company));
    });

    it('counts five wrong codes and no more when eight arrive at once', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      const tries = Array.from({ length: 8 }, () => company.recovery.recovers(copy, { ...proof, code: wrong(proof.code) }));
      for (const { status } of await Promise.allSettled(tries)) expect(status).toBe('rejected');

      const row = await one<{ failures: number }>(frontDoor, sql`select failures from recovery_code where user_id = ${company.user_id}`);
      expect(row).toEqual({ failures: 5 });
      await expect(company.recovery.recovers(copy, proof)).rejects.toEqual(codeInvalid);
    });

    it('is valid for no other purpose, and a code for another purpose recovers nothing', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      await expect(company.asks(accountSecurity.confirmEmailChange, { body: { code: proof.code } })).rejects.toEqual(codeInvalid);

      const leaving = await newCompany();
      await leaving.recovery.setsKey(KEY);
      const { code } = await proofOf(leaving);
      await leaving.asks(accountSecurity.requestDeletion, { body: { password: leaving.password } });
      await expect(leaving.asks(accountSecurity.confirmDeletion, { body: { code } })).rejects.toEqual(codeInvalid);
      const deletion = (await mailsTo(leaving)).find(({ subject }) => subject.includes('deletes'))!.code!;
      await expect(leaving.recovery.resets({ password: leaving.password, code: deletion })).rejects.toEqual(codeInvalid);
      await company.recovery.recovers(copy, proof);
    });

    it('is void after the password or the e-mail address changes', async () => {
      const { company, copy } = await withCopy();
      const { password } = company;
      const new_password = 'seven lamps by the river';
      const first = await proofOf(company);
      await company.asks(accountSecurity.changePassword, { body: { password, new_password } });
      expect(await codesTo(company)).toEqual([]);
      await expect(company.recovery.recovers(copy, { ...first, password: new_password })).rejects.toEqual(codeInvalid);

      const second = { ...(await proofOf(company)), password: new_password };
      const email = `recovered-${company.email}`;
      await company.asks(accountSecurity.requestEmailChange, { body: { password: new_password, email } });
      const { code } = (await mailsTo({ email })).find((mail) => mail.subject.includes('new address'))!;
      await company.asks(accountSecurity.confirmEmailChange, { body: { code: code! } });
      await expect(company.recovery.recovers(copy, second)).rejects.toEqual(codeInvalid);

      await company.recovery.asksCode();
      const [newest] = (await mailsTo({ email })).filter(({ subject }) => subject.includes('recovers your secrets'));
      await company.recovery.recovers(copy, { password: new_password, code: newest!.code! });
    });

    it('is mailed at most ten times a day', async () => {
      const { company, copy } = await withCopy();
      for (let n = 0; n < 10; n++) await company.recovery.asksCode();
      await expect(company.recovery.asksCode()).rejects.toEqual(refused('rate_limit.exceeded', 429));
      const [code] = await codesTo(company);
      await company.recovery.recovers(copy, { password: company.password, code: code! });

      await world.passes({ hours: 24 });
      await company.signsIn();
      await company.recovery.recovers(copy, await proofOf(company));
    });

    it('stays valid when the database fails during a recovery', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      const owner = await frontDoorDatabase(world);
      await execute(owner, {
        text: `alter table account_mail add constraint fails check (recipient <> '${company.email}') not valid`,
        values: [],
      });

      await expect(company.recovery.recovers(copy, proof)).rejects.toMatchObject({ status: 503 });
      await execute(owner, { text: 'alter table account_mail drop constraint fails', values: [] });
      await owner.destroy();
      expect(await audited(frontDoor, company, 'account.secret_recovered')).toEqual([]);
      await company.recovery.recovers(copy, proof);
    });

    it('is refused while the account is disabled', async () => {
      const { company, copy } = await withCopy();
      const { code } = await proofOf(company);
      const isOver = refused('auth.token_invalid', 401);
      const asks = () => operator.request(FRONT_DOOR.sendRecoveryCode, { region: 'eu' }, { user_id: company.user_id });
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: company.user_id, disabled: true });

      await expect(judges(company, { code, object: copy.id })).rejects.toEqual(isOver);
      await expect(asks()).rejects.toEqual(isOver);
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: company.user_id, disabled: false });
      await judges(company, { code, object: copy.id });
    });

    it('is accepted only from the home region, with a password that was sealed for this copy and this act', async () => {
      const { company, copy } = await withCopy();
      const { code } = await proofOf(company);
      const object = copy.id;

      await expect(judges(company, { code, object, in: 'us' })).rejects.toEqual(refused('region.rebase_required', 421));
      for (const seal of [
        { use: 'codase password check', owner_id: company.user_id },
        { use: 'codase recovery recover', owner_id: `${company.user_id} another_copy` },
        { use: 'codase recovery reset', owner_id: `${company.user_id} ${object}` },
        { use: 'codase recovery recover', owner_id: `another_user ${object}` },
      ])
        await expect(judges(company, { code, object, seal })).rejects.toEqual(invalid);
      await judges(company, { code, object });
    });

    it('is deleted a day later, or with the account', async () => {
      const company = await newCompany();
      await proofOf(company);
      const rows = () => many(frontDoor, sql`select 1 from recovery_code where user_id = ${company.user_id}`);
      const store = new RecoveryCodesStore(frontDoor, new AccountMailStore(frontDoor));
      const sweeps = (hours: number) => many(frontDoor, store.deleteExpired(new Date(world.now.getTime() + hours * 3_600_000), 1000));

      await sweeps(23);
      expect(await rows()).toHaveLength(1);
      await company.asks(accountSecurity.requestDeletion, { body: { password: company.password } });
      const deletion = (await mailsTo(company)).find(({ subject }) => subject.includes('deletes'))!.code!;
      await company.asks(accountSecurity.confirmDeletion, { body: { code: deletion } });
      expect(await rows()).toEqual([]);
      expect(await mailsTo(company)).toEqual([]);

      const staying = await newCompany();
      await proofOf(staying);
      await sweeps(24);
      expect(await many(frontDoor, sql`select 1 from recovery_code where user_id = ${staying.user_id}`)).toEqual([]);
    });

    interface Judged {
      code: string;
      object: string;
      act?: RecoveryAct;
      in?: string;
      seal?: { use: string; owner_id: string };
    }

    /** Asks the front door as a region does. */
    async function judges({ user_id, password }: Company, { code, object, act = 'recover', in: asking = 'eu', seal }: Judged) {
      const { replica, public_key } = await operator.request(FRONT_DOOR.passwordKey, { region: asking }, {});
      const sealed = sealToProcess(public_key, seal ?? { use: `codase recovery ${act}`, owner_id: `${user_id} ${object}` }, password);
      const address = '192.0.2.1';
      return operator.request(FRONT_DOOR.judgeRecovery, { region: asking, replica }, { user_id, address, sealed, code, act, object });
    }
  });

  describe('a reset of the recovery key', () => {
    it('deletes the key with every copy, and leaves the secrets valid', async () => {
      const { company, params, client_id, client_secret } = await withCopy();
      await company.recovery.keeps('service_passphrase', params.id, 'a passphrase');
      const proof = await proofOf(company);

      await company.recovery.resets(proof);

      expect(await copiesOf(company)).toEqual([]);
      await expect(company.asks(recovery.readRecoveryKey, {})).rejects.toEqual(notFound);
      expect(await company.recovery.lists()).toEqual([]);
      await expect(company.recovery.resets(proof)).rejects.toEqual(notFound);
      expect(await audited(frontDoor, company, 'account.recovery_reset')).toEqual([{ outcome: 'done', object: company.user_id }]);
      expect(await audited(region, company, 'account.recovery_key_deleted')).toEqual([{ outcome: 'done', object: company.user_id }]);
      expect(await noticesTo(company, 'The recovery key of your account is being deleted')).toHaveLength(1);

      expect(await works(company, client_id, client_secret, params.id)).toMatchObject({ token_type: 'Bearer' });
      await company.recovery.setsKey(OTHER_KEY);
      const copy = await company.recovery.keeps('client_secret', client_id, client_secret);
      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      expect(await company.recovery.opens(recovered, OTHER_KEY.passphrase)).toBe(client_secret);
    });

    it('requires the right password and the right code', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      await expect(company.recovery.resets({ ...proof, password: 'a wrong password' })).rejects.toEqual(passwordWrong);
      await expect(company.recovery.resets({ ...proof, code: wrong(proof.code) })).rejects.toEqual(codeInvalid);
      await expect(company.asks(recovery.resetRecoveryKey, { body: { ...proof, why: 'I want to' } as never })).rejects.toEqual(invalid);
      const shapes = { params: { copyId: copy.id }, body: { ...proof, why: 'I want to' } as never };
      await expect(company.asks(recovery.recoverSecret, shapes)).rejects.toEqual(invalid);
      await expect(company.asks(recovery.setRecoveryKey, { body: { ...KEY, why: 'x' } as never })).rejects.toEqual(invalid);
    });

    it('is refused while the company is moving, and mails nothing then', async () => {
      const { company } = await withCopy();
      const proof = await proofOf(company);
      const isAtHome = (home: string) => execute(region, sql`update profile set home = ${home} where user_id = ${company.user_id}`);

      await isAtHome('settling');
      await expect(company.recovery.resets(proof)).rejects.toEqual(refused('db.writes_paused', 503));
      await isAtHome('here');
      expect(await noticesTo(company, 'The recovery key of your account is being deleted')).toEqual([]);
      expect(await audited(frontDoor, company, 'account.recovery_reset')).toEqual([]);
      expect(await copiesOf(company)).toHaveLength(1);
      await company.recovery.resets(proof);
      expect(await copiesOf(company)).toEqual([]);
    });

    it('leaves no copy that was being stored at the same time', async () => {
      const { company, params } = await withClient();
      const proof = await proofOf(company);
      const stores = Array.from({ length: 5 }, (_, n) => company.recovery.keeps('service_passphrase', params.id, `secret ${n}`));
      const done = await Promise.allSettled([...stores, company.recovery.resets(proof)]);

      expect(done.at(-1)).toMatchObject({ status: 'fulfilled' });
      for (const { reason } of done.filter((each) => each.status === 'rejected')) expect(reason).toEqual(notFound);
      expect(await copiesOf(company)).toEqual([]);
    });
  });

  describe('recovery for a company that moves or is deleted', () => {
    it('moves a copy along to the other region, where it can be recovered', async () => {
      const { company, copy, client_id, client_secret } = await withCopy();
      await moving.moves(company, 'us');
      await moving.arrives(company);

      const us = moving.internals.database('region_us');
      expect((await copiesOf(company, us)).map(({ copy_id }) => copy_id)).toEqual([copy.id]);
      expect(await company.recovery.lists()).toEqual([copy]);
      const recovered = await company.recovery.recovers(copy, await proofOf(company));
      expect(await company.recovery.opens(recovered, KEY.passphrase)).toBe(client_secret);
      expect(await copiesOf(company)).toEqual([]);
      await company.recovery.keeps('client_secret', client_id, client_secret);
      expect(await copiesOf(company, us)).toHaveLength(1);
    });

    it("moves the copy of a webhook's secret along, and it ends there when the secret changes", async () => {
      const { company, params } = await withClient();
      const { id, hmac_secret } = await newWebhook(company, params);
      const copy = await company.recovery.keeps('webhook_secret', id, hmac_secret);
      await moving.moves(company, 'us');
      await moving.arrives(company);

      expect(await company.recovery.lists()).toEqual([copy]);
      const body = { ...WEBHOOK, hmac_secret: 'one that the company has chosen' };
      await company.asks(webhooks.changeWebhook, { params: { ...params, webhookId: id }, body });
      expect(await company.recovery.lists()).toEqual([]);
    });

    it('answers 421 when the company has moved between the judgement and the reading of the copy', async () => {
      const { company, copy } = await withCopy();
      const proof = await proofOf(company);
      const { user_id } = company;
      const { access_token, api_url } = await company.getsToken();
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
      const others = await world.opensDatabase('front_door');
      let recovered!: Promise<unknown>;
      await inOwnTransaction(frontDoor, async (tx) => {
        await execute(tx, sql`update account set region = 'us' where user_id = ${user_id}`);
        recovered = fetch(`${api_url}/api/account/recovery-copies/${copy.id}/recover`, {
          method: 'POST',
          headers,
          body: JSON.stringify(proof),
        }).then(async (answer) => [answer.status, ((await answer.json()) as { error_key: string }).error_key]);
        await eventually(async () => (await lockWaits(others, 'transactionid')) > 0 || undefined);
        await execute(region, sql`delete from recovery_copy where copy_id = ${copy.id}`);
        await execute(region, sql`update profile set home = 'arriving' where user_id = ${user_id}`);
      });
      await others.destroy();
      expect(await recovered).toEqual([421, 'region.rebase_required']);
    });

    it('deletes the recovery key with the account', async () => {
      const company = await newCompany();
      await company.recovery.setsKey(KEY);
      await company.asks(accountSecurity.requestDeletion, { body: { password: company.password } });
      const code = (await mailsTo(company)).find(({ subject }) => subject.includes('deletes'))!.code!;
      await company.asks(accountSecurity.confirmDeletion, { body: { code } });

      await eventually(async () => {
        const rows = await many(region, sql`select 1 from recovery_key where company_user_id = ${company.user_id}`);
        return rows.length === 0 || undefined;
      });
      await expect(company.asks(account.readAccount, {})).rejects.toMatchObject({ status: 401 });
    });
  });
});
