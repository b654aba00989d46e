import { z } from 'zod';
import { page, Paging } from '../core/page.ts';
import { peerRead } from '../core/peer-subjects.ts';
import { Done, frontDoorSubject, ofUser, operatorSubject, regionSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { Id, Slug, Timestamp } from '../core/text.ts';
import { PluginChoice, PluginPass } from '../plugins/shapes.ts';
import { ClientKey, RegisteredKeys } from './client-keys.ts';
import { CLAIMS, CLIENT_KEYS, SIGN_IN_VALUES_CHARS } from './limits.ts';
import { Claim, ClaimsDelivery, KeepOldHours, OauthApp, RotatedSecret, WaitingSignIn } from './shapes.ts';
import { CAPABILITIES } from './whitelist.ts';

/** @spec D1-2.1 */
const NewClient = z.strictObject({
  client_id: z.string(),
  kind: z.enum(['service', 'account']),
  company_user_id: Id,
  service_id: Id.nullable(),
  name: z.string(),
  purpose: z.string().nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  redirect_uri: z.string().nullable(),
  /** SHA-256 of the secret, which is made of 256 random bits: the secret itself does not travel. */
  secret_digest: z.string(),
});
/** The kinds of clients that companies have. */
const ClientKind = z.enum(['service', 'account', 'app']);
const RegisteredClient = NewClient.omit({ secret_digest: true }).extend({
  kind: ClientKind,
  dpop_bound_access_tokens: z.boolean().default(false),
  created_at: Timestamp,
});
const SecretId = z.object({ client_id: z.string(), kind: ClientKind, service_id: z.string().nullable(), secret_id: z.string() });
export type NewClient = z.infer<typeof NewClient>;
const RotatedClient = RotatedSecret.omit({ client_secret: true });
export type RotatedClient = z.infer<typeof RotatedClient>;
export type RegisteredClient = z.infer<typeof RegisteredClient>;

/**
 * An account client by its id, a data client by its service, or a sign-in app by its id as `app_id`; always within its company.
 */
const ofClient = z.strictObject({
  company_user_id: Id,
  client_id: z.string().optional(),
  service_id: Id.optional(),
  app_id: Id.optional(),
});
/** The values as they travel: UTF-8 of at most three bytes for each character, in base64, with their slugs. */
const SEALED_VALUES_CHARS = 4 * SIGN_IN_VALUES_CHARS + 64 * 1024;
const ofApp = z.strictObject({ company_user_id: Id, app_id: Id });

/** A sign-in app to be registered. The `revision` is the id of what it asks for: each change of the claims has another one. */
const NewApp = z.strictObject({
  company_user_id: Id,
  app_id: Id,
  name: z.string(),
  redirect_uris: z.array(z.string()),
  claims_delivery: ClaimsDelivery,
  claims: z.array(Claim),
  revision: Id,
  secret_digest: z.string(),
});
export type NewApp = z.infer<typeof NewApp>;
const RegisteredApp = OauthApp.extend({ revision: z.string() });
export type RegisteredApp = z.infer<typeof RegisteredApp>;
const AppChange = NewApp.omit({ secret_digest: true }).partial({ name: true, claims_delivery: true, claims: true, revision: true });
export type AppChange = z.infer<typeof AppChange>;

/** A sign-in that waits, with what the region of the phone needs to know of its app. */
const WaitingInside = WaitingSignIn.extend({
  seal_key: z.string(),
  app_id: z.string(),
  company_user_id: z.string(),
  company_region: z.string(),
});

/** About how many clients one request asks. */
export const SECRET_IDS_AT_ONCE = 200;

/** Subjects about clients, which the front door answers. */
export const clientSubjects = {
  registerClient: frontDoorSubject('register_client', NewClient, RegisteredClient),
  readClient: idempotent(frontDoorSubject('read_client', ofClient, RegisteredClient)),
  /**
   * Returns those of the clients that the company has, each with an id of its current secret, which a new secret changes. It says nothing
   * of the secret. @gap D1-5.1
   */
  readSecretIds: idempotent(
    frontDoorSubject(
      'read_secret_ids',
      z.strictObject({ company_user_id: Id, client_ids: z.array(Id).max(SECRET_IDS_AT_ONCE) }),
      z.object({ clients: z.array(SecretId) }),
    ),
  ),
  listClients: idempotent(frontDoorSubject('list_clients', Paging.extend({ company_user_id: Id }), page(RegisteredClient))),
  changeClient: frontDoorSubject(
    'change_client',
    ofClient.extend({
      capabilities: z.array(z.enum(CAPABILITIES)).optional(),
      redirect_uri: z.string().nullish(),
      dpop_bound_access_tokens: z.boolean().optional(),
    }),
    RegisteredClient,
  ),
  replaceSecret: frontDoorSubject('replace_secret', ofClient.extend({ secret_digest: z.string() }), RegisteredClient),
  /** Makes a new secret. The old one works for some hours beside it. @gap D1-4.6 */
  rotateSecret: frontDoorSubject(
    'rotate_secret',
    ofClient.extend({ secret_digest: z.string(), keep_old_hours: KeepOldHours }),
    RotatedClient,
  ),
  /** Ends the older of two secrets. */
  endOldSecret: frontDoorSubject('end_old_secret', ofClient, Done),
  readKeys: idempotent(frontDoorSubject('read_keys', ofClient, RegisteredKeys)),
  /** Replaces the public keys of a client. @gap D1-5.2 */
  setKeys: frontDoorSubject(
    'set_keys',
    ofClient.extend({ keys: z.array(ClientKey).max(CLIENT_KEYS), required: z.boolean() }),
    RegisteredKeys,
  ),
  /** Sent by a region that has checked a secret: the front door hashes it with the newest pepper. */
  rehashSecret: frontDoorSubject('rehash_secret', z.strictObject({ client_id: z.string(), secret_digest: z.string() }), Done),
  deleteClient: frontDoorSubject('delete_client', ofClient, Done),
  registerApp: frontDoorSubject('register_app', NewApp, RegisteredApp),
  readApp: idempotent(frontDoorSubject('read_app', ofApp, RegisteredApp)),
  listApps: idempotent(frontDoorSubject('list_apps', Paging.extend({ company_user_id: Id }), page(RegisteredApp))),
  /**
   * The sign-ins of a person that wait for the phone, each with its app. Values are sealed to `seal_key`, so that the bus and the database
   * have none.
   */
  listSignIns: idempotent(frontDoorSubject('list_sign_ins', ofUser, z.object({ items: z.array(WaitingInside) }))),
  /** Approves a sign-in with the sealed values of its claims, or denies it with null. */
  answerSignIn: frontDoorSubject(
    'answer_sign_in',
    ofUser.extend({ sign_in_id: Id, sealed_values: z.string().max(SEALED_VALUES_CHARS).nullable() }),
    Done,
  ),
  /** Answers with the app, and with the revision that the change has ended, if it has. */
  changeApp: frontDoorSubject('change_app', AppChange, z.object({ app: RegisteredApp, ended_revision: z.string().nullable() })),
  /**
   * Ends one registration that a region began and gave up, or, without a client_id, every registration of a service that is being deleted.
   * It may be repeated. A registration that arrives after it is refused.
   */
  withdrawClient: frontDoorSubject(
    'withdraw_client',
    z.strictObject({ company_user_id: Id, service_id: Id, client_id: z.string().optional() }),
    Done,
  ),
} as const;

/** Subjects that the front door asks, and the region of a person answers. */
export const signInSubjects = {
  /** Lets the phones of a person know that a sign-in with an app waits for them. */
  announceSignIn: regionSubject('announce_sign_in', ofUser.extend({ company_user_id: Id, sign_in_id: Id }), Done),
} as const;

/** Subjects that the region of a person asks, and the region of the company answers. */
export const SIGN_IN_SUBJECTS = {
  /** Issues a pass for those plugins of the claims that the app uses. @gap D1-4.6 */
  claimPass: idempotent(
    peerRead(
      'claim_pass',
      { speaksFor: { nobody: 'the pass is for plugins of an app, and says nothing of a person' } },
      ofApp.extend({ claims: z.array(PluginChoice.extend({ slug: Slug })).max(CLAIMS) }),
      PluginPass,
    ),
  ),
} as const;

/** Subjects that only an operator asks, and the front door answers. */
export const clientOperatorSubjects = {
  /** Gives clients the patterns that came after they were registered. @spec D1-5.7 @spec D1-9 */
  backfillPatterns: operatorSubject('backfill_patterns', z.strictObject({}), z.object({ clients: z.int(), patterns: z.int() })),
  /** Registers a client with a reserved purpose, which its company cannot change. @spec D1-2.1 */
  registerManaged: operatorSubject('register_managed', NewClient, RegisteredClient),
  /**
   * Clients whose secret, or whose old secret that still works, is hashed with another pepper than the newest: their number, and the first
   * of them.
   */
  secretsUnderOldPeppers: operatorSubject(
    'secrets_under_old_peppers',
    z.strictObject({}),
    z.object({ count: z.int(), client_ids: z.array(z.string()) }),
  ),
  /** Disables a client, so that it gets no more tokens and the tokens that it has stop working; or enables it again. */
  setClientDisabled: operatorSubject('set_client_disabled', z.strictObject({ client_id: z.string(), disabled: z.boolean() }), Done),
} as const;
