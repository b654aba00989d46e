import { z } from 'zod';
import { Region } from './region.ts';
import { Account, Language, Level } from './shapes/account.ts';
import { page, Paging } from './shapes/answers.ts';
import { FieldTypeRow } from './shapes/registry.ts';
import { EncryptedPrivateKey, PublicKey } from './shapes/sealed.ts';
import { CustomerType, Id, ShareCode, Timestamp } from './shapes/text.ts';
import { WebhookTest } from './shapes/webhook.ts';
import { subject } from './subjects.ts';
import { CAPABILITIES } from './whitelist.ts';

/**
 * What the roles of the platform ask each other. The front door keeps accounts, clients and grants; a region keeps the rest. No secret,
 * password or token travels here: a region hashes what it is given and sends the hash.
 */

const ofUser = z.strictObject({ user_id: Id });
const Done = z.null();

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
  secret_hash: z.string(),
});
const RegisteredClient = NewClient.omit({ secret_hash: true }).extend({ created_at: Timestamp });
export type NewClient = z.infer<typeof NewClient>;
export type RegisteredClient = z.infer<typeof RegisteredClient>;

/** A client by its id, or by the service whose data client it is; always within its company. */
const ofClient = z.strictObject({ company_user_id: Id, client_id: z.string().optional(), service_id: Id.optional() });

/** Who has a share code, anywhere. */
export const ShareCodeHolder = z.object({ user_id: Id, type: CustomerType, region: Region, public_key: PublicKey });

const frontDoor = <M extends z.ZodType, R extends z.ZodType>(name: string, message: M, reply: R) =>
  subject(`cds.front-door.v1.${name}`, { message, reply });

/** Asked of the front door. */
export const FRONT_DOOR = {
  accountOf: frontDoor('account_of', ofUser, Account),
  /** Where a user lives; null for one that is unknown. */
  homeOf: frontDoor('home_of', ofUser, z.object({ region: Region.nullable() })),
  /** Where some users live, each region once; of one that is unknown nothing is said. */
  homesOf: frontDoor('homes_of', z.strictObject({ user_ids: z.array(Id).max(1000) }), z.object({ regions: z.array(Region) })),
  whoHas: frontDoor('who_has', z.strictObject({ share_code: ShareCode }), ShareCodeHolder),
  /** The stored hash, for a route that asks for the password once more. */
  passwordHash: frontDoor('password_hash', ofUser, z.object({ password_hash: z.string().nullable() })),

  registerClient: frontDoor('register_client', NewClient, RegisteredClient),
  readClient: frontDoor('read_client', ofClient, RegisteredClient),
  listClients: frontDoor('list_clients', Paging.extend({ company_user_id: Id }), page(RegisteredClient)),
  changeClient: frontDoor(
    'change_client',
    ofClient.extend({ capabilities: z.array(z.enum(CAPABILITIES)).optional(), redirect_uri: z.string().nullish() }),
    RegisteredClient,
  ),
  replaceSecret: frontDoor('replace_secret', ofClient.extend({ secret_hash: z.string() }), RegisteredClient),
  deleteClient: frontDoor('delete_client', ofClient, Done),

  /** Rotates a refresh token, by the hashes of the old and the new one. */
  rotateRefresh: frontDoor(
    'rotate_refresh',
    z.strictObject({ client_id: z.string(), token_hash: z.string(), next_hash: z.string() }),
    z.object({ user_id: Id, session_id: Id, region: Region }),
  ),

  /** Begins to move a company; the front door sees it through, whatever dies meanwhile. */
  beginMove: frontDoor('begin_move', ofUser.extend({ to: Region }), z.object({ from: Region, to: Region })),
} as const;

/** Asked of the front door by an operator alone. */
export const OPERATOR = {
  setMode: frontDoor(
    'operator.set_mode',
    z.strictObject({ region: Region, writes_paused: z.boolean().optional(), out_of_order: z.boolean().optional() }),
    z.object({ region: Region, writes_paused: z.boolean(), out_of_order: z.boolean() }),
  ),
  setLevel: frontDoor('operator.set_level', ofUser.extend({ level: Level }), Done),
  /** Gives clients the patterns that came after they were registered. @spec D1-5.7 @spec D1-9 */
  backfillPatterns: frontDoor('operator.backfill_patterns', z.strictObject({}), z.object({ clients: z.int(), patterns: z.int() })),
  /** Registers a client with a reserved purpose, which its company cannot change. @spec D1-2.1 */
  registerManaged: frontDoor('operator.register_managed', NewClient, RegisteredClient),
  /** Adds a field type, or replaces one of the operator's own. @spec D1-2.5 */
  putFieldType: frontDoor('operator.put_field_type', FieldTypeRow, Done),
} as const;

/** A profile as the front door hands it to its home region. */
export const NewProfile = z.strictObject({
  user_id: Id,
  type: CustomerType,
  display_name: z.string(),
  language: Language,
  share_code: ShareCode,
  public_key: PublicKey,
  encrypted_private_key: EncryptedPrivateKey.nullable(),
  created_at: Timestamp,
});
export type NewProfile = z.infer<typeof NewProfile>;

const region = <N extends string, M extends z.ZodType, R extends z.ZodType>(name: N, message: M, reply: R) =>
  subject(`cds.region.v1.{region}.${name}` as const, { message, reply });

/** What a region holds of a company: rows and a digest for each table, so that both sides can be compared. */
const Holdings = z.record(z.string(), z.object({ rows: z.int(), digest: z.string() }));
export type Holdings = z.infer<typeof Holdings>;

/**
 * Every step of a move, and every repetition of one, has a turn higher than all before it. A region that has heard a higher turn refuses
 * the lower: a message that was held up somewhere does no harm when it arrives at last.
 */
const ofMove = ofUser.extend({ turn: z.int() });
export type InTurn = z.infer<typeof ofMove>;

/** How far the rows of a company are handed over: the table, and the key of its last row that was sent. */
const CopyPlace = z.strictObject({ table: z.string(), after: z.string().nullable() });
export type CopyPlace = z.infer<typeof CopyPlace>;

/** Asked of a region by the front door; rows go from the old region to the new one alone. @gap D1-5.6 */
export const REGION = {
  addProfile: region('add_profile', NewProfile, Done),
  /** The company leaves: from now on nothing of it is written here. */
  beginLeaving: region('begin_leaving', ofMove.extend({ to: Region }), Done),
  /** The new region forgets an earlier try. */
  beginArriving: region('begin_arriving', ofMove, Done),
  /** The old region sends the next rows, from a place on, and says where to go on; null when it has sent them all. */
  handOver: region('hand_over', ofMove.extend({ to: Region, from: CopyPlace.nullable() }), z.object({ next: CopyPlace.nullable() })),
  /** The new region takes rows of one table: a JSON array as the database wrote it, so that no number loses a digit on the way. */
  takeRows: region('take_rows', ofMove.extend({ table: z.string(), rows: z.string() }), Done),
  holdings: region('holdings', ofUser, Holdings),
  /** The front door has flipped: the old region forgets, then the new one opens. */
  finishLeaving: region('finish_leaving', ofMove, Done),
  finishArriving: region('finish_arriving', ofMove, Done),
  /** It did not come to pass: the old region goes on, the new one forgets. */
  stay: region('stay', ofMove, Done),
  forgetArrival: region('forget_arrival', ofMove, Done),
} as const;

/** Asked of the delivery by a region. */
export const DELIVERY = {
  /** Sends a made-up event to a webhook of the region, and says what came back. @gap D1-4.7 */
  test: subject('cds.delivery.v1.{region}.test', { message: z.strictObject({ webhook_id: Id }), reply: WebhookTest }),
} as const;
