import * as contracts from '@codase/contracts';
import {
  account,
  accountClients,
  accountSecurity,
  connections,
  devices,
  flowAuthoring,
  OPERATOR,
  OPERATOR_PREFIX,
  personSecurity,
  READ_REGION_AUDIT,
  verifications,
  serviceClient,
  services,
  tokens,
  WAITING_REGION_MAIL,
  type Request,
} from '@codase/contracts';
import { execute, many, sql, type Db } from '@codase/runtime/db';
import { servedEndpoints } from '@codase/runtime/http';
import type { Bus } from '@codase/runtime/bus';
import {
  Device,
  eventually,
  newSigningKey,
  publicKeyOf,
  World,
  type AuthoredFlow,
  type Backend,
  type Company,
  type IssuedDocument,
  type OwnConnection,
  type Person,
  type VerificationProvider,
} from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { IBAN } from '@codase/testing/operator-field-type';
import type { DataSource } from 'typeorm';
import { FrontDoorModule, RegionModule } from '../../../src/roles.ts';
import { envelope } from '../../sharing/connections/connections-world.ts';
import { OF_RUNS } from './audited-runs.ts';
import { phone, portal } from '../../support/oauth-visitor.ts';
import { ORDER_FLOW } from '../../services/flows/order-flow.ts';
import { RunDocumentsWorld } from '../../agreements/runs/run-documents-world.ts';
import { TrustingBrowser } from '../../support/trusting-browser.ts';

interface Row {
  act: string;
  outcome: string;
  initiator: string | null;
  client_id: string | null;
  address: string | null;
  account_id: string | null;
  object: string | null;
  details: Record<string, unknown>;
}

type Wrapped = Request<typeof account.rewrapAccountKey>['body']['encrypted_private_key'];
type Base = 'front_door' | 'region_eu';

/** An act, and the database that has its row. */
interface Case {
  does(): Promise<unknown>;
  at?: Base;
  act: string;
  /** The members that differ from the row of a company in the portal. */
  row?: Partial<Record<keyof Row, unknown>>;
}

const LOCAL = /^(127\.0\.0\.1|::1)$/;

/** Routes that change something and leave no row, each with the reason. A new route needs a case below or a reason here. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  accept_connect_request: 'data of customers: its events tell of it',
  acknowledge_messages: 'messages of customers: their readers see that they were read',
  broadcast_message: 'messages of customers, kept in their own rows',
  add_photo: 'a photo is shown to others, and gives no right',
  add_service_photo: 'a setting of a service, which its log tells of',
  delete_photo: 'a photo is shown to others, and gives no right',
  delete_service_photo: 'a setting of a service, which its log tells of',
  change_admin_email: 'a setting of a service, which its log tells of',
  confirm_admin_email: 'a setting of a service, which its log tells of',
  change_customer_connection: 'data of customers: its events tell of it',
  change_number_matching: 'a setting of a service, which its log tells of',
  change_profile: 'a name is shown to others, and gives no right',
  change_share_code: 'a setting of a service, which its log tells of',
  change_share_config: 'a setting of a service, which its log tells of',
  connect: 'data of customers: its events tell of it',
  continue_sign_in: 'it leads a browser on; what the phone answered has its row',
  delete_contact_data: 'data of customers: its events tell of it',
  delete_contact_field: 'data of customers: its events tell of it',
  issue_registry_pass: 'it changes nothing; what the pass brings about has its row',
  issue_request_plugin_pass: 'it changes nothing',
  issue_sign_in_plugin_pass: 'it changes nothing',
  answer_customer_run: 'data of customers: the run and its events tell of it',
  answer_own_run: 'data of customers: the run and its events tell of it',
  answer_run: 'data of customers: the run and its events tell of it',
  cancel_own_run: 'data of customers: the run and its events tell of it',
  cancel_run: 'data of customers: the run and its events tell of it',
  start_own_run: 'data of customers: the run and its events tell of it',
  start_run: 'data of customers: the run and its events tell of it',
  stage_own_run_file: 'a file of a run, which counts once a run takes it',
  stage_run_file: 'a file of a run, which counts once a run takes it',
  upload_customer_generation_input: 'a file of a run, which one generation uses',
  upload_generation_input: 'a file of a run, which one generation uses',
  upload_own_generation_input: 'a file of a run, which one generation uses',
  upload_answer_file: 'a file of a run, which counts once a run takes it',
  upload_customer_answer_file: 'a file of a run, which counts once a run takes it',
  upload_own_answer_file: 'a file of a run, which counts once a run takes it',
  issue_customer_plugin_pass: 'it changes nothing',
  issue_plugin_pass: 'it changes nothing',
  save_draft: 'a draft of a company, which counts for nobody until it is published',
  validate_flow: 'it changes nothing',
  preview_flow: 'it changes nothing, and keeps nothing',
  issue_token: 'what is refused is audited; what is given is counted, and a sign-in has its row',
  poll_result: 'it reads how an enrolment ended',
  publish_request_fields: 'a setting of a service, which its log tells of',
  put_contact_data: 'data of customers: its events tell of it',
  put_contact_field: 'data of customers: its events tell of it',
  raise_challenge: 'a question, kept for a day; its answer is audited',
  reject_connect_request: 'data of customers: its events tell of it',
  request_connection: 'a question, kept for its days; its events tell of the answer',
  read_customer_messages: 'messages of customers: their readers see that they were read',
  rename_device: 'a name that its person alone reads',
  read_verification_request: 'it reads, and the provider proves itself by a body',
  read_messages: 'messages of customers: their readers see that they were read',
  send_message: 'messages of customers, kept in their own rows',
  sign_up: 'the account itself says when it was made, and nobody had rights before',
  test_webhook: 'it changes nothing',
  verify_on_page: 'it changes nothing, and keeps nothing',
  verify_pdf: 'it changes nothing, and keeps nothing',
  write_customer_message: 'messages of customers, kept in their own rows',
  write_message: 'messages of customers, kept in their own rows',
};

/** Requests of an operator that leave no row, each with the reason. */
const NOT_AUDITED_SUBJECTS: Readonly<Record<string, string>> = {
  [OPERATOR.listVerificationProviders.pattern]: 'it reads what anyone may read',
  [OPERATOR.secretsUnderOldPeppers.pattern]: 'it changes nothing, and is asked while a pepper is rotated, which has its rows',
  [OPERATOR.waitingMail.pattern]: 'it answers in development alone',
  [WAITING_REGION_MAIL.pattern]: 'it answers in development alone',
};

describe('the audit', () => {
  let world: World;
  let acme: Company;
  let operator: Bus;
  let databases: Record<Base, DataSource>;
  let service: string;
  let client: string;
  let webhook: string;
  let copy: { id: string };
  let plugin: string;
  let delegate: Awaited<ReturnType<Company['delegates']['adds']>>;
  let app: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    acme = await world.signsUp({ type: 'company', level: 'pro' });
    operator = await world.operator('platform');
    const open = (name: Base) => world.opensDatabase(name);
    databases = { front_door: await open('front_door'), region_eu: await open('region_eu') };
  });
  afterAll(() => world?.close());

  const positionOf = async (db: Db) => (await many<{ seq: string }>(db, sql`select coalesce(max(seq), 0) as seq from audit.entry`))[0]!.seq;
  const since = (db: Db, seq: string) =>
    many<Row>(
      db,
      sql`
      select act, outcome, initiator, client_id, address, account_id, object, details from audit.entry where seq > ${seq} order by seq`,
    );
  /** The rows that an act leaves in a database. */
  const leaves = async (does: () => Promise<unknown>, at: Base = 'front_door'): Promise<Row[]> => {
    const seq = await positionOf(databases[at]);
    await does();
    return since(databases[at], seq);
  };
  const wrapped = async () => (await acme.asks(account.readAccountKeys, {})).encrypted_private_key as Wrapped;

  let leaving: Company;
  let leavingPerson: Person;
  let changing: Company;
  let careful: Company;
  let carefulPerson: Person;
  let changingPerson: Person;
  const OTHER = { email: 'changed@audit.example', password: 'seven lamps by the river' };
  const OTHERS = { ...OTHER, email: 'changed-person@audit.example' };
  const trustsBrowser = async (user: Company | Person, app: ReturnType<typeof phone>) => {
    await user.secondFactor.switchesOn(() => world.now);
    await new TrustingBrowser(world).isTrusted(user, app);
  };
  const LEAVING = { initiator: expect.any(String), account_id: expect.any(String) };
  const codeFor = async ({ email }: { email: string }) =>
    (await world.mails()).find(({ to, subject }) => to === email && /deletes|new address|recovers/.test(subject))!.code!;

  /** Has a new person begin a sign-in with an app, which the phone answers. */
  const answersSignIn = async (answers: (person: Person, id: string) => Promise<unknown>) => {
    const person = await world.signsUp({ type: 'person' });
    const { email, password } = person;
    const claims = [{ slug: 'email', label: 'E-mail', type: 'email' }];
    const { client_id, redirect_uris } = await acme.signInApps.creates({ claims, claims_delivery: 'plaintext' });
    const proof = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' as const };
    const body = { client_id, redirect_uri: redirect_uris[0]!, ...proof, email, password };
    await world.stranger.asks(contracts.identity.authorize, { body });
    await answers(person, (await person.phone.signIns())[0]!.id);
  };

  const routes: Record<string, Case> = {
    authorize: { act: 'sign_in', does: () => acme.signsIn() },
    create_account_client: {
      act: 'client.created',
      does: async () => {
        client = (await acme.asks(accountClients.createAccountClient, { body: { name: 'Robot', capabilities: [] } })).client_id;
      },
    },
    change_capabilities: {
      act: 'client.changed',
      does: () => acme.asks(accountClients.changeCapabilities, { params: { id: client }, body: { capabilities: ['oauth_apps'] } }),
    },
    regenerate_account_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(accountClients.regenerateAccountSecret, { params: { id: client } }),
    },
    rotate_account_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(accountClients.rotateAccountSecret, { params: { id: client }, body: {} }),
    },
    set_account_client_keys: {
      act: 'client.keys_changed',
      does: () => acme.asks(accountClients.setAccountClientKeys, { params: { id: client }, body: { keys: [] } }),
    },
    end_old_account_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(accountClients.endOldAccountSecret, { params: { id: client } }),
    },
    delete_account_client: {
      act: 'client.deleted',
      does: () => acme.asks(accountClients.deleteAccountClient, { params: { id: client } }),
    },
    create_service: {
      at: 'region_eu',
      act: 'service.created',
      does: async () => {
        const keys = { public_key: acme.public_key, encrypted_private_key: await wrapped() };
        const body = { name: 'Club', admin_email: 'club@acme.example', ...keys };
        service = (await acme.asks(services.createService, { body })).id;
      },
    },
    create_service_client: {
      act: 'client.created',
      does: () => acme.asks(serviceClient.createServiceClient, { params: { id: service }, body: {} }),
    },
    change_service_client: {
      act: 'client.changed',
      does: () =>
        acme.asks(serviceClient.changeServiceClient, { params: { id: service }, body: { redirect_uri: 'https://acme.example/back' } }),
    },
    regenerate_service_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(serviceClient.regenerateServiceSecret, { params: { id: service } }),
    },
    rotate_service_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(serviceClient.rotateServiceSecret, { params: { id: service }, body: {} }),
    },
    set_service_client_keys: {
      act: 'client.keys_changed',
      does: () => acme.asks(serviceClient.setServiceClientKeys, { params: { id: service }, body: { keys: [] } }),
    },
    end_old_service_secret: {
      act: 'client.secret_replaced',
      does: () => acme.asks(serviceClient.endOldServiceSecret, { params: { id: service } }),
    },
    delete_service_client: {
      act: 'client.deleted',
      does: () => acme.asks(serviceClient.deleteServiceClient, { params: { id: service } }),
    },
    create_webhook: {
      at: 'region_eu',
      act: 'webhook.created',
      does: async () => {
        const body = { url: 'https://hooks.acme.example/in' };
        webhook = (await acme.asks(contracts.webhooks.createWebhook, { params: { id: service }, body })).id;
      },
    },
    change_webhook: {
      at: 'region_eu',
      act: 'webhook.changed',
      does: () =>
        acme.asks(contracts.webhooks.changeWebhook, {
          params: { id: service, webhookId: webhook },
          body: { url: 'https://hooks.acme.example/other', hmac_secret: 'another one' },
        }),
    },
    delete_webhook: {
      at: 'region_eu',
      act: 'webhook.deleted',
      does: () => acme.asks(contracts.webhooks.deleteWebhook, { params: { id: service, webhookId: webhook } }),
    },
    add_plugin: {
      at: 'region_eu',
      act: 'plugin.added',
      does: async () => {
        plugin = (await acme.asks(contracts.plugins.addPlugin, { body: { base_url: 'https://plugins.acme.example' } })).id;
      },
    },
    switch_on_builtin: {
      at: 'region_eu',
      act: 'plugin.added',
      does: () => acme.asks(contracts.plugins.switchOnBuiltin, { params: { key: 'places' } }),
    },
    change_plugin_token: {
      at: 'region_eu',
      act: 'plugin.token_changed',
      does: () => acme.asks(contracts.plugins.changePluginToken, { params: { id: plugin }, body: { token: 'another-one' } }),
    },
    create_oauth_app: {
      act: 'client.created',
      does: async () => {
        app = (await acme.signInApps.creates()).id;
      },
    },
    change_oauth_app: {
      act: 'client.changed',
      does: () => acme.signInApps.changes(app, { redirect_uris: ['https://acme.example/other'] }),
    },
    regenerate_oauth_app_secret: { act: 'client.secret_replaced', does: () => acme.signInApps.regeneratesSecret(app) },
    rotate_oauth_app_secret: { act: 'client.secret_replaced', does: () => acme.signInApps.rotatesSecret(app) },
    end_old_oauth_app_secret: { act: 'client.secret_replaced', does: () => acme.signInApps.endsOldSecret(app) },
    approve_sign_in: {
      act: 'sign_in.answered',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => answersSignIn((person, id) => person.phone.approvesSignIn(id, { email: 'a@b.example' })),
    },
    deny_sign_in: {
      act: 'sign_in.answered',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => answersSignIn((person, id) => person.phone.deniesSignIn(id)),
    },
    delete_oauth_app: { act: 'client.deleted', does: () => acme.signInApps.deletes(app) },
    delete_plugin: {
      at: 'region_eu',
      act: 'plugin.deleted',
      does: () => acme.asks(contracts.plugins.deletePlugin, { params: { id: plugin } }),
    },
    add_delegate: {
      at: 'region_eu',
      act: 'delegate.added',
      row: { details: { user_id: expect.any(String) } },
      does: async () => {
        delegate = await acme.delegates.adds(world.person('ANA'));
      },
    },
    accept_delegation: {
      at: 'region_eu',
      act: 'delegate.accepted',
      row: { initiator: expect.any(String), client_id: 'app_person' },
      does: () => world.person('ANA').delegations.accepts(delegate),
    },
    grant_service: {
      at: 'region_eu',
      act: 'delegate.granted',
      row: { details: { user_id: expect.any(String), service_id: expect.any(String), reason: 'with_key' } },
      does: () => acme.delegates.grants(delegate, service, 'the passphrase'),
    },
    read_delegated_key: {
      at: 'region_eu',
      act: 'delegate.key_read',
      row: { initiator: expect.any(String), client_id: 'app_person' },
      does: () => world.person('ANA').delegations.reads(delegate, service),
    },
    revoke_service: { at: 'region_eu', act: 'delegate.revoked', does: () => acme.delegates.revokes(delegate, service) },
    remove_delegate: { at: 'region_eu', act: 'delegate.removed', does: () => acme.delegates.removes(delegate) },
    leave_delegation: {
      at: 'region_eu',
      act: 'delegate.left',
      row: { initiator: expect.any(String), client_id: 'app_person' },
      does: async () => world.person('ANA').delegations.leaves(await acme.delegates.adds(world.person('ANA'))),
    },
    set_recovery_key: {
      act: 'account.recovery_key_set',
      at: 'region_eu',
      does: () => acme.recovery.setsKey(SERVICE_KEYS[2]),
    },
    store_recovery_copy: {
      act: 'account.recovery_copy_stored',
      at: 'region_eu',
      does: async () => (copy = await acme.recovery.keeps('service_passphrase', service, 'its passphrase')),
    },
    send_recovery_code: { act: 'account.recovery_code_requested', does: () => acme.recovery.asksCode() },
    recover_secret: {
      act: 'account.secret_recovered',
      does: async () => acme.recovery.recovers(copy, { password: acme.password, code: await codeFor(acme) }),
    },
    reset_recovery_key: {
      act: 'account.recovery_reset',
      does: async () => acme.recovery.resets({ password: acme.password, code: await codeFor(acme) }),
    },
    delete_service: {
      at: 'region_eu',
      act: 'service.deleted',
      does: () => acme.asks(services.deleteService, { params: { id: service } }),
    },
    rewrap_account_key: {
      at: 'region_eu',
      act: 'key.rewrapped',
      does: async () => acme.asks(account.rewrapAccountKey, { body: { password: acme.password, encrypted_private_key: await wrapped() } }),
    },
    // Anybody who has a token may end it, without being its user.
    revoke_token: {
      act: 'token.revoked',
      row: { initiator: null },
      does: async () => {
        const { access_token } = await acme.signsIn();
        await acme.asks(tokens.revokeToken, { body: { token: access_token, client_id: 'app_portal' } });
        await acme.signsIn();
      },
    },
    end_session: {
      act: 'session.ended',
      does: async () => {
        const [newest] = (await acme.asks(tokens.listSessions, {})).items;
        await acme.asks(tokens.endSession, { params: { sessionId: newest!.id } });
        await acme.signsIn();
      },
    },
    end_all_sessions: {
      act: 'sessions.ended',
      does: async () => {
        await acme.asks(tokens.endAllSessions, {});
        await acme.signsIn();
      },
    },
    // A user who signs up has no client yet.
    confirm_sign_up: {
      act: 'account.created',
      does: () => world.signsUp({ type: 'person' }),
      row: { initiator: expect.any(String), account_id: expect.any(String), client_id: null },
    },
    request_deletion: {
      act: 'account.deletion_requested',
      row: LEAVING,
      does: async () => {
        leaving = await world.signsUp({ type: 'company' });
        await leaving.asks(accountSecurity.requestDeletion, { body: { password: leaving.password } });
      },
    },
    confirm_deletion: {
      act: 'account.deleted',
      row: LEAVING,
      does: async () => leaving.asks(accountSecurity.confirmDeletion, { body: { code: await codeFor(leaving) } }),
    },
    request_person_deletion: {
      act: 'account.deletion_requested',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        leavingPerson = await world.signsUp({ type: 'person' });
        await leavingPerson.phone.requestsDeletion();
      },
    },
    confirm_person_deletion: {
      act: 'account.deleted',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => leavingPerson.phone.confirmsDeletion(await codeFor(leavingPerson)),
    },
    change_password: {
      act: 'account.password_changed',
      row: LEAVING,
      does: async () => {
        changing = await world.signsUp({ type: 'company' });
        const body = { password: changing.password, new_password: OTHER.password };
        await changing.asks(accountSecurity.changePassword, { body });
      },
    },
    request_email_change: {
      act: 'account.email_change_requested',
      row: LEAVING,
      does: () => changing.asks(accountSecurity.requestEmailChange, { body: OTHER }),
    },
    confirm_email_change: {
      act: 'account.email_changed',
      row: LEAVING,
      does: async () => changing.asks(accountSecurity.confirmEmailChange, { body: { code: await codeFor(OTHER) } }),
    },
    change_person_password: {
      act: 'account.password_changed',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        changingPerson = await world.signsUp({ type: 'person' });
        const body = { password: changingPerson.password, new_password: OTHERS.password };
        await changingPerson.asks(personSecurity.changePersonPassword, { body });
      },
    },
    request_person_email_change: {
      act: 'account.email_change_requested',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => changingPerson.asks(personSecurity.requestPersonEmailChange, { body: OTHERS }),
    },
    confirm_person_email_change: {
      act: 'account.email_changed',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => changingPerson.asks(personSecurity.confirmPersonEmailChange, { body: { code: await codeFor(OTHERS) } }),
    },
    begin_second_factor: {
      act: 'second_factor.begun',
      row: LEAVING,
      does: async () => {
        careful = await world.signsUp({ type: 'company' });
        await careful.secondFactor.begins(() => world.now);
      },
    },
    confirm_second_factor: { act: 'second_factor.switched_on', row: LEAVING, does: () => careful.secondFactor.confirms() },
    renew_backup_codes: { act: 'second_factor.codes_made', row: LEAVING, does: () => careful.secondFactor.renews() },
    end_second_factor: { act: 'second_factor.switched_off', row: LEAVING, does: () => careful.secondFactor.switchesOff() },
    begin_person_second_factor: {
      act: 'second_factor.begun',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        carefulPerson = await world.signsUp({ type: 'person' });
        await carefulPerson.secondFactor.begins(() => world.now);
      },
    },
    confirm_person_second_factor: {
      act: 'second_factor.switched_on',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => carefulPerson.secondFactor.confirms(),
    },
    renew_person_backup_codes: {
      act: 'second_factor.codes_made',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => carefulPerson.secondFactor.renews(),
    },
    end_person_second_factor: {
      act: 'second_factor.switched_off',
      row: { ...LEAVING, client_id: 'app_person' },
      does: () => carefulPerson.secondFactor.switchesOff(),
    },
    forget_trusted_device: {
      act: 'trusted_device.removed',
      row: LEAVING,
      does: async () => {
        careful = await world.signsUp({ type: 'company' });
        await trustsBrowser(careful, portal(world));
        const [browser] = (await careful.asks(accountSecurity.listTrustedDevices, {})).items;
        await careful.asks(accountSecurity.forgetTrustedDevice, { params: { deviceId: browser!.id } });
      },
    },
    forget_person_trusted_browser: {
      act: 'trusted_device.removed',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        carefulPerson = await world.signsUp({ type: 'person' });
        await trustsBrowser(carefulPerson, phone(world));
        const [browser] = (await carefulPerson.asks(personSecurity.listPersonTrustedBrowsers, {})).items;
        await carefulPerson.asks(personSecurity.forgetPersonTrustedBrowser, { params: { deviceId: browser!.id } });
      },
    },
    add_phone: {
      act: 'trusted_device.added',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        carefulPerson = await world.signsUp({ type: 'person' });
        await carefulPerson.phone.registers('My phone');
      },
    },
    remove_phone: {
      act: 'trusted_device.removed',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => carefulPerson.phone.removes((await carefulPerson.phone.phones())[0]!),
    },
    remove_device: {
      act: 'device.removed',
      row: { ...LEAVING, client_id: 'app_person' },
      does: async () => {
        carefulPerson.uses(new Device(() => world.now));
        await carefulPerson.signsIn();
        const { items } = await carefulPerson.asks(devices.listDevices, {}, { at: world.frontDoorUrl });
        await carefulPerson.asks(devices.removeDevice, { params: { deviceId: items[0]!.id } }, { at: world.frontDoorUrl });
        carefulPerson.uses(undefined);
      },
    },
    migrate_region: {
      act: 'move.begun',
      does: () => acme.asks(account.migrateRegion, { body: { password: acme.password, region: 'us' } }),
    },
  };

  const requests: Record<string, Case> = {
    [OPERATOR.endSessions.pattern]: {
      act: 'sessions.ended',
      does: async () => {
        const { user_id } = await world.signsUp({ type: 'person' });
        await operator.request(OPERATOR.endSessions, {}, { user_id });
      },
    },
    [OPERATOR.setAccountDisabled.pattern]: {
      act: 'account.disabled',
      does: async () => {
        const { user_id } = await world.signsUp({ type: 'person' });
        await operator.request(OPERATOR.setAccountDisabled, {}, { user_id, disabled: true });
      },
    },
    [OPERATOR.switchSecondFactorOff.pattern]: {
      act: 'second_factor.switched_off',
      does: async () => {
        const person = await world.signsUp({ type: 'person' });
        await person.secondFactor.switchesOn(() => world.now);
        await operator.request(OPERATOR.switchSecondFactorOff, {}, { user_id: person.user_id });
      },
    },
    [OPERATOR.resealFrontDoorSecrets.pattern]: {
      act: 'key.rotated',
      does: () => operator.request(OPERATOR.resealFrontDoorSecrets, {}, {}),
    },
    [OPERATOR.setClientDisabled.pattern]: {
      act: 'client.disabled',
      does: () => operator.request(OPERATOR.setClientDisabled, {}, { client_id: world.shop.client_id, disabled: true }),
    },
    [OPERATOR.readAudit.pattern]: { act: 'audit.exported', does: () => operator.request(OPERATOR.readAudit, {}, {}) },
    [READ_REGION_AUDIT.pattern]: {
      at: 'region_eu',
      act: 'audit.exported',
      does: () => operator.request(READ_REGION_AUDIT, { region: 'eu' }, {}),
    },
    [OPERATOR.resealSecrets.pattern]: {
      at: 'region_eu',
      act: 'key.rotated',
      does: () => operator.request(OPERATOR.resealSecrets, { region: 'eu' }, {}),
    },
    [OPERATOR.recordKeyChange.pattern]: {
      act: 'key.rotated',
      does: () => operator.request(OPERATOR.recordKeyChange, {}, { list: 'token_signing_key', base: 'eu', key_id: '-_key', step: 'added' }),
    },
    [OPERATOR.setMode.pattern]: {
      act: 'mode.changed',
      does: () => operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: false }),
    },
    [OPERATOR.setLevel.pattern]: {
      act: 'level.changed',
      does: () => operator.request(OPERATOR.setLevel, {}, { user_id: acme.user_id, level: 'pro' }),
    },
    [OPERATOR.backfillPatterns.pattern]: {
      act: 'client.patterns_backfilled',
      does: async () => {
        await execute(databases.front_door, sql`delete from client_pattern where client_id = ${world.shop.client_id}`);
        await operator.request(OPERATOR.backfillPatterns, {}, {});
      },
    },
    [OPERATOR.registerManaged.pattern]: {
      act: 'client.created',
      does: () =>
        operator.request(
          OPERATOR.registerManaged,
          {},
          {
            client_id: 'acct_managed',
            kind: 'account',
            company_user_id: acme.user_id,
            service_id: null,
            name: 'The hub',
            purpose: 'crm:hub',
            capabilities: [],
            redirect_uri: null,
            secret_digest: 'no secret at all',
          },
        ),
    },
    [OPERATOR.putFieldType.pattern]: {
      act: 'field_type.put',
      does: () => operator.request(OPERATOR.putFieldType, {}, IBAN),
    },
    [OPERATOR.addVerificationProvider.pattern]: { act: 'verification_provider.added', does: () => world.registersProvider('audited') },
    [OPERATOR.rotateVerificationKey.pattern]: {
      act: 'verification_provider.key_added',
      does: () =>
        operator.request(
          OPERATOR.rotateVerificationKey,
          {},
          { provider_id: 'audited', key: publicKeyOf(newSigningKey('next')), overlap_days: 1 },
        ),
    },
    [OPERATOR.revokeVerificationKey.pattern]: {
      act: 'verification_provider.key_revoked',
      does: () => operator.request(OPERATOR.revokeVerificationKey, {}, { provider_id: 'audited', kid: 'next' }),
    },
    [OPERATOR.removeVerificationProvider.pattern]: {
      act: 'verification_provider.removed',
      does: () => operator.request(OPERATOR.removeVerificationProvider, {}, { provider_id: 'audited' }),
    },
  };

  it('has an entry for every route that changes clients, secrets, keys or home regions', async () => {
    const served = [FrontDoorModule, RegionModule].flatMap((role) => servedEndpoints(role)).filter(({ method }) => method !== 'GET');
    const names = [...new Set(served.map(({ name }) => name))];
    const cases = [routes, ofConnections, ofPhones, ofProviders, ofDocuments, ofCustomers, ofFlows, OF_RUNS, NOT_AUDITED].flatMap((some) =>
      Object.keys(some),
    );
    expect(names.toSorted()).toEqual(cases.toSorted());

    for (const [name, { does, at, act, row: differs }] of Object.entries(routes)) {
      const rows = await leaves(does, at);
      const row = rows.find((one) => one.act === act);
      expect({ [name]: row }).toEqual({
        [name]: expect.objectContaining({
          outcome: 'done',
          initiator: acme.user_id,
          account_id: acme.user_id,
          client_id: 'app_portal',
          address: expect.stringMatching(LOCAL),
          object: expect.any(String),
          ...differs,
        }),
      });
    }
  });

  const ofConnections: Record<string, (connection: OwnConnection, ana: Person) => Promise<unknown>> = {
    disconnect: (connection, ana) => ana.connections.disconnects(connection),
    end_connection: ({ id: connectionId }) => world.shop.asks(connections.endConnection, { params: { connectionId } }),
  };

  it('has an entry for an ended connection, by either side', async () => {
    const ana = world.person('ANA');
    for (const [name, ends] of Object.entries(ofConnections)) {
      const connection = await ana.connections.connects('ACME/SHOP');
      const rows = await leaves(() => ends(connection, ana), 'region_eu');
      const ended = { act: 'connection.ended', outcome: 'done', account_id: world.acme.user_id, object: connection.id };
      expect({ [name]: rows }).toEqual({ [name]: [expect.objectContaining(ended)] });
    }
  });

  it('names the company as initiator of the ended enrolment when the company ends the connection', async () => {
    const ana = world.person('ANA');
    const { id: connectionId } = await ana.connections.connects('ACME/SHOP');
    await ana.phone.enrols(world.shop);

    const rows = await leaves(() => world.shop.asks(connections.endConnection, { params: { connectionId } }), 'region_eu');

    expect(rows).toEqual([
      expect.objectContaining({ act: 'enrolment.revoked', initiator: world.acme.user_id }),
      expect.objectContaining({ act: 'connection.ended', initiator: world.acme.user_id }),
    ]);
  });

  /** The calls about a verification, by the name of their route. */
  const ofProviders: Record<string, { act: string; row: object; does(ana: Person, provider: VerificationProvider): Promise<unknown> }> = {
    request_verification: {
      act: 'verification.requested',
      row: { client_id: 'app_person' },
      does: (ana) => ana.fields.asksToVerify('email', 'idco'),
    },
    withdraw_verification_request: {
      act: 'verification.withdrawn',
      row: { client_id: 'app_person' },
      does: async (ana) => {
        const { verification_id: verificationId } = await ana.fields.asksToVerify('email', 'idco');
        await ana.asks(verifications.withdrawVerificationRequest, { params: { slug: 'email', verificationId } });
      },
    },
    attest_value: {
      act: 'field.verified',
      row: { client_id: 'idco' },
      does: (ana, provider) => provider.verifies(ana, 'email', 'ana@example.org'),
    },
    revoke_attestation: {
      act: 'field.unverified',
      row: { client_id: 'idco' },
      does: async (ana, provider) => {
        const { verification_id } = await provider.verifies(ana, 'email', 'ana@example.org');
        await provider.revokes(verification_id, world.regionUrl('eu'));
      },
    },
  };

  it('has an entry for each step of a verification', async () => {
    const ana = await world.signsUp({ type: 'person' });
    await ana.fields.edits('email', 'ana@example.org');
    const provider = await world.registersProvider();

    for (const [name, { act, row, does }] of Object.entries(ofProviders)) {
      const rows = await leaves(() => does(ana, provider), 'region_eu');
      const expected = { act, outcome: 'done', account_id: ana.user_id, object: expect.stringMatching(/^ver_/), ...row };
      expect({ [name]: rows }).toEqual({ [name]: expect.arrayContaining([expect.objectContaining(expected)]) });
    }
  });

  const ofPhones: Record<string, { act: string; does(ana: Person): Promise<unknown>; details?: object }> = {
    approve_challenge: {
      act: 'challenge.answered',
      does: async (ana) => ana.phone.approves(await world.shop.challenges.raises(ana)),
      details: { kind: 'approved', reason: 'biometric' },
    },
    deny_challenge: {
      act: 'challenge.answered',
      does: async (ana) => ana.phone.denies(await world.shop.challenges.raises(ana)),
      details: { kind: 'denied' },
    },
    revoke_enrolment: { act: 'enrolment.revoked', does: (ana) => ana.phone.revokes(world.shop.service_id!) },
  };

  it('has an entry for every challenge answer, and for an enrolment that began or ended', async () => {
    const ana = world.person('ANA');
    await ana.connections.connects('ACME/SHOP');
    const row = { outcome: 'done', account_id: world.acme.user_id, initiator: ana.user_id, object: expect.any(String) };
    expect(await leaves(() => ana.phone.enrols(world.shop), 'region_eu')).toEqual([
      expect.objectContaining({ ...row, act: 'enrolment.created' }),
    ]);

    for (const [name, { act, does, details = {} }] of Object.entries(ofPhones)) {
      const rows = await leaves(() => does(ana), 'region_eu');
      expect({ [name]: rows }).toEqual({ [name]: [expect.objectContaining({ ...row, act, details, client_id: 'app_person' })] });
    }
  });

  /** The acts on a document, by the name of their route. */
  const ofDocuments: Record<string, { act: string; does(offer: IssuedDocument, ana: Person): Promise<unknown>; details?: object }> = {
    create_document: { act: 'document.created', does: (_, ana) => world.shop.documents.issues(ana) },
    change_document: {
      act: 'document.changed',
      does: (offer) => world.shop.documents.changes(offer, { name: 'Better offer' }),
      details: { kind: 'offering' },
    },
    replace_document_file: {
      act: 'document.file_replaced',
      does: async (_, ana) => {
        const body = { name: 'Scan', payload_kind: 'file', target: { person_user_id: ana.user_id } } as const;
        const file = await world.shop.sealsFor(ana, 'scan');
        const { id } = await world.shop.asks(contracts.documents.createDocument, { body: { ...body, file } });
        return world.shop.asks(contracts.documents.replaceDocumentFile, { params: { id }, body: { file } });
      },
    },
    delete_document: { act: 'document.deleted', does: (offer) => world.shop.documents.deletes(offer) },
    accept_document: { act: 'document.accepted', does: (offer, ana) => ana.documents.accepts(offer) },
    sign_document: {
      act: 'document.signed',
      does: async (_, ana) => ana.documents.signs(await world.shop.documents.issues(ana, { requires_signature: true })),
    },
    decline_document: { act: 'document.declined', does: (offer, ana) => ana.documents.declines(offer) },
    cancel_document: {
      act: 'document.cancelled',
      does: async (offer, ana) => ana.documents.cancels(await ana.documents.accepts(offer)),
    },
  };

  it('has an entry for everything that a service or its customer does with a document', async () => {
    const ana = await world.signsUp({ type: 'person', region: 'eu' });
    await ana.connections.connects('ACME/SHOP');
    for (const [name, { act, does, details = {} }] of Object.entries(ofDocuments)) {
      const terms = { requires_acceptance: true, metadata: { can_be_cancelled_in_app: true } };
      const offer = await world.shop.documents.issues(ana, terms);
      const row = (await leaves(() => does(offer, ana), 'region_eu')).find((one) => one.act === act);
      const initiator = /sign|accept|decline|cancel/.test(name) ? ana.user_id : world.acme.user_id;
      const expected = { outcome: 'done', account_id: world.acme.user_id, initiator, object: expect.stringMatching(/^doc_/), details };
      expect({ [name]: row }).toEqual({ [name]: expect.objectContaining(expected) });
    }
  });

  /** The acts on a flow, by the name of their route. */
  const ofFlows: Record<string, { act: string; does(flow: AuthoredFlow): Promise<unknown> }> = {
    create_flow: { act: 'flow.created', does: () => world.acme.flows.begins(world.shop.service_id!) },
    copy_flow: { act: 'flow.created', does: ({ id }) => world.acme.asks(flowAuthoring.copyFlow, { params: { flowId: id }, body: {} }) },
    put_template: { act: 'flow.file_changed', does: (flow) => world.acme.flows.uploads(flow, 'logo', envelope('image/png', 'a picture')) },
    delete_template: {
      act: 'flow.file_deleted',
      does: ({ id }) => world.acme.asks(flowAuthoring.deleteTemplate, { params: { flowId: id, assetKey: 'logo' } }),
    },
    publish_flow: {
      act: 'flow.published',
      does: async (flow) => world.acme.flows.publishesDraft(await world.acme.flows.saves(flow, ORDER_FLOW)),
    },
    delete_flow: { act: 'flow.deleted', does: (flow) => world.acme.flows.deletes(flow) },
  };

  it('has an entry for every change of a flow or of its files', async () => {
    const flow = await world.acme.flows.begins(world.shop.service_id!);
    for (const [name, { act, does }] of Object.entries(ofFlows)) {
      const row = (await leaves(() => does(flow), 'region_eu')).find((one) => one.act === act);
      expect({ [name]: row }).toEqual({ [name]: expect.objectContaining({ outcome: 'done', account_id: world.acme.user_id }) });
    }
  });

  it('has an entry for a generation, for each copy, and for each act of the company on its own copies', async () => {
    const at = await RunDocumentsWorld.in(world);
    for (const [name, { acts, plays }] of Object.entries(OF_RUNS)) {
      const rows = await leaves(await plays(at), 'region_eu');
      expect({ [name]: rows.map(({ act }) => act).toSorted() }).toEqual({ [name]: acts });
      for (const row of rows) expect({ [name]: row }).toEqual({ [name]: expect.objectContaining({ account_id: world.acme.user_id }) });
    }
  });

  /** What a company does with a document as a customer. */
  const ofCustomers: Record<string, { act: string; does(offer: IssuedDocument, automation: Backend): Promise<unknown> }> = {
    accept_customer_document: { act: 'document.accepted', does: (offer, { asCustomer }) => asCustomer.documents.accepts(offer) },
    sign_customer_document: {
      act: 'document.signed',
      does: async (_, automation) => {
        const contract = await world.shop.documents.issues(
          { ...automation, user_id: automation.company_user_id },
          { requires_signature: true },
        );
        return automation.asCustomer.documents.signs(contract, undefined, { method: 'custodian' });
      },
    },
    decline_customer_document: { act: 'document.declined', does: (offer, { asCustomer }) => asCustomer.documents.declines(offer) },
    cancel_customer_document: {
      act: 'document.cancelled',
      does: async (offer, { asCustomer: { documents } }) => documents.cancels(await documents.accepts(offer)),
    },
  };

  it("has an entry for everything that a company's client does with a document as a customer", async () => {
    const { boltAutomation: automation, shop } = world;
    await automation.asCustomer.connections.connects('ACME/SHOP');
    const terms = { requires_acceptance: true, metadata: { can_be_cancelled_in_app: true } };
    for (const [name, { act, does }] of Object.entries(ofCustomers)) {
      const offer = await shop.documents.issues({ ...automation, user_id: automation.company_user_id }, terms);
      const row = (await leaves(() => does(offer, automation), 'region_eu')).find((one) => one.act === act);
      const expected = { outcome: 'done', account_id: world.acme.user_id, initiator: automation.company_user_id };
      expect({ [name]: row }).toEqual({ [name]: expect.objectContaining(expected) });
    }
  });

  it('has an entry for every operator request that changes something', async () => {
    const subjects = Object.values({ ...contracts, ...OPERATOR } as Record<string, unknown>)
      .filter((one): one is { pattern: string } => typeof (one as { pattern?: unknown } | undefined)?.pattern === 'string')
      .map(({ pattern }) => pattern)
      .filter((pattern) => pattern.startsWith(`${OPERATOR_PREFIX}.`));
    expect([...new Set(subjects)].toSorted()).toEqual([...Object.keys(requests), ...Object.keys(NOT_AUDITED_SUBJECTS)].toSorted());

    for (const [name, { does, at, act }] of Object.entries(requests)) {
      const row = (await leaves(does, at)).find((one) => one.act === act);
      expect({ [name]: row }).toEqual({ [name]: expect.objectContaining({ outcome: 'done', initiator: 'operator' }) });
    }
  });

  it('has no entry when an operator only reads a mode', async () => {
    expect(await leaves(() => operator.request(OPERATOR.setMode, {}, { region: 'eu' }))).toEqual([]);
  });

  it('has an entry for a wrong password, a refused client and a refused token, a moment later', async () => {
    const company = await world.signsUp({ type: 'company' });
    const [frontDoor, region] = [await positionOf(databases.front_door), await positionOf(databases.region_eu)];
    const wrong = Object.assign(Object.create(Object.getPrototypeOf(company) as object) as Company, company, {
      password: 'not the right one',
    });
    await expect(wrong.signsIn()).rejects.toMatchObject({ key: 'oauth.access_denied' });
    const credentials = { grant_type: 'client_credentials', client_id: 'svc_nobody', client_secret: 'x' } as const;
    await expect(world.stranger.asks(tokens.issueToken, { body: credentials })).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    await expect(company.asks(account.readProfile, {}, { token: 'made.by.nobody' })).rejects.toMatchObject({ key: 'auth.token_invalid' });

    const atFrontDoor = await eventually(async () => {
      const rows = (await since(databases.front_door, frontDoor)).filter(({ outcome }) => outcome !== 'done');
      return rows.length >= 2 ? rows : undefined;
    });
    expect(atFrontDoor).toEqual([
      expect.objectContaining({
        act: 'account.password_checked',
        outcome: 'account.password_wrong',
        account_id: company.user_id,
        client_id: 'app_portal',
      }),
      expect.objectContaining({ act: 'token.refused', outcome: 'oauth.invalid_client', client_id: 'svc_nobody', account_id: null }),
    ]);
    const inRegion = await eventually(async () => (await since(databases.region_eu, region)).find(({ act }) => act === 'token.refused'));
    expect(inRegion).toMatchObject({ outcome: 'auth.token_invalid', initiator: null, address: expect.stringMatching(LOCAL) });
  });

  it('contains no e-mail address, name or secret, and keeps its entries when their object is deleted', async () => {
    const rows = JSON.stringify(await since(databases.front_door, '0')) + JSON.stringify(await since(databases.region_eu, '0'));
    for (const reported of [acme.email, acme.display_name, acme.password, '@', 'Robot', 'Club', 'The hub'])
      expect(rows).not.toContain(reported);

    expect(await many(databases.front_door, sql`select from client where client_id = ${client}`)).toEqual([]);
    expect(rows).toContain(client);
  });

  it('has an entry for a move at the front door, and keeps the entries of the old region there', async () => {
    const flipped = await eventually(async () =>
      (await since(databases.front_door, '0')).find(({ act, account_id }) => act === 'move.flipped' && account_id === acme.user_id),
    );
    expect(flipped).toMatchObject({ initiator: 'platform', details: { region: 'eu', to_region: 'us' } });
    expect((await since(databases.region_eu, '0')).some(({ account_id }) => account_id === acme.user_id)).toBe(true);
  });
});
