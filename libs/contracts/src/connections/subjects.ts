import { z } from 'zod';
import { PublicKey } from '../core/sealed.ts';
import { statedBody, type PersonAct, type SentAct } from '../core/person-act.ts';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { CustomerType, Id, Slug, Timestamp } from '../core/text.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { AcceptedRequest, ConnectionChange, CustomerConnection, NewConnection, ServiceCard } from './customer-shapes.ts';
import { verification } from './shapes.ts';

/**
 * Subjects that a customer's home region asks of the region in which a connection lives, which is the company's. A connection is kept
 * nowhere else, so that no second copy can disagree. @gap D1-1
 */

const Done = z.null();
const ofCustomer = z.strictObject({ user_id: Id });
const ofConnection = ofCustomer.extend({ connection_id: Id });
const ofService = z.strictObject({ company_user_id: Id, service_code: z.string() });

/** The data of a customer that a service gets. */
export const Customer = z.strictObject({
  user_id: Id,
  type: CustomerType,
  display_name: z.string(),
  share_code: z.string(),
  public_key: PublicKey,
});
export type Customer = z.infer<typeof Customer>;

/** The data about a verified value, without the value itself. @spec D1-2.7 */
export const Verification = z.strictObject({
  ...verification,
  /** What the provider signed, and the `kid` of the key that signed it. Regions check it where the value is stored, and show neither. */
  attestation: z.string().max(4096).optional(),
  attested_key: z.string().max(128).optional(),
  /** What the digest in the attestation names: the salt of the field, and its type. Neither is shown to a company. @spec D1-2.5 */
  field_salt: z.string().max(64).optional(),
  field_type: Slug.optional(),
});
export type Verification = z.infer<typeof Verification>;

/** An answer with what the home region knows of its source; the service learns nothing of the source itself. @spec D1-2.5 */
export const SentValue = z.strictObject({
  slug: Slug,
  value: z.string(),
  live: z.boolean(),
  source_private: z.boolean(),
  /** The type is null when the customer has no such field. */
  source: z.strictObject({ field: Slug, type: z.string().nullable(), verification: Verification }).nullable(),
});
export type SentValue = z.infer<typeof SentValue>;

/** An answer as the customer states it: without what the home region adds. */
const given = ({ source, ...value }: SentValue) => ({ ...value, ...(source && { source_field: source.field }) });

/** How a customer came to connect: by the code of a service, or by the request of one. The region of the company checks that it is so. */
const ConnectsBy = z.union([z.strictObject({ company_code: z.string() }), z.strictObject({ request_id: Id })]);
export type ConnectsBy = z.infer<typeof ConnectsBy>;

interface Connecting {
  by?: ConnectsBy | undefined;
  service_code: string;
  values: SentValue[];
  at: string;
}

function connected({ by, service_code, values, at }: Connecting): SentAct {
  if (by && 'request_id' in by)
    return { act: 'accept_connect_request', on: by.request_id, body: statedBody(AcceptedRequest, { values: values.map(given) }), at };
  const code = `${by?.company_code ?? ''}/${service_code}`;
  return { act: 'connect', on: code, body: statedBody(NewConnection, { code, values: values.map(given) }), at };
}

const Digest = z.string().max(64);
/** What a customer states of an edit, beside the copies that come: the digests of the value and of all copies. */
const StatedEdit = z.strictObject({ value: Digest, copies: z.array(Digest).max(1000) });
export type StatedEdit = z.infer<typeof StatedEdit>;

const Copy = z.strictObject({ connection_id: Id, slug: Slug, value: z.string() });
interface Following {
  field: string;
  is_private: boolean;
  copies: z.infer<typeof Copy>[];
  stated?: StatedEdit | undefined;
  at: string;
}

/** An edit of a field. Its copies come to the region of their company, and no others. */
function followed({ field, is_private, copies, stated, at }: Following): SentAct {
  const body = { ...(is_private && { is_private }), ...stated } as PersonAct['body'];
  return {
    act: 'put_contact_data',
    on: field,
    body: stated?.copies.length ? body : { ...body, copies: undefined },
    at,
    relayed: { copies },
  };
}

const Slots = z.array(z.object({ company_user_id: Id, connection_id: Id, slug: z.string(), type: z.string() }));
const ofSource = ofCustomer.extend({ field: Slug });
/**
 * When the customer made the change, by the clock of the customer's home region. So a change that was delayed does not undo a later one.
 */
const atMoment = { at: Timestamp };
/** Only the slots of this company, which must live in the region that is asked. When absent, the slots of all companies that live there. */
const ofCompany = { company_user_id: Id.optional() };

/**
 * Sent from region to region; a customer in its own region is served without the bus. A change is identified by its customer and its
 * moment, so a repeat finds its own result.
 */
export const CONNECTION_SUBJECTS = {
  card: idempotent(
    peerRead(
      'card',
      { speaksFor: { nobody: 'anyone who knows the code may see a card' } },
      ofService.extend({ type: CustomerType }),
      ServiceCard,
    ),
  ),
  /** A pass for the plugins that answer rows of the card. It is valid for minutes, and opens nothing. */
  pluginPass: idempotent(
    peerRead(
      'plugin_pass',
      { speaksFor: { nobody: 'anyone who knows the code may ask the plugins of a card' }, refusedWhilePaused: true },
      ofService.extend({ type: CustomerType }),
      PluginPass,
    ),
  ),
  connect: peerWrite(
    'connect',
    { speaksFor: 'customer.user_id', personAct: connected },
    ofService.extend({ customer: Customer, values: z.array(SentValue), by: ConnectsBy.optional(), ...atMoment }),
    CustomerConnection,
  ),
  /** The list positions of the customer's connections, the oldest first. */
  places: idempotent(
    peerRead(
      'places',
      { speaksFor: 'user_id' },
      ofCustomer.extend({ limit: z.int(), after: z.strictObject({ at: Timestamp, id: Id }).nullable() }),
      z.object({ places: z.array(z.object({ at: Timestamp, id: Id })) }),
    ),
  ),
  read: idempotent(peerRead('read', { speaksFor: 'user_id' }, ofConnection, CustomerConnection)),
  change: idempotent(
    peerWrite(
      'change',
      {
        speaksFor: 'user_id',
        personAct: ({ connection_id, values, drop, decline, at }) => ({
          act: 'change_customer_connection',
          on: connection_id,
          body: statedBody(ConnectionChange, { values: values.map(given), drop, decline }),
          at,
        }),
      },
      ofConnection.extend({ values: z.array(SentValue), drop: z.array(Slug), decline: z.array(Slug), ...atMoment }),
      CustomerConnection,
    ),
    'in_turn',
  ),
  /** Ends a connection. Answers the company when the customer has no other connection with it. */
  disconnect: peerWrite(
    'disconnect',
    { speaksFor: 'user_id', personAct: ({ connection_id }) => ({ act: 'disconnect', on: connection_id, body: {} }) },
    ofConnection,
    z.object({ last_of: Id.nullable() }),
  ),
  /** The live slots that follow a field of the customer which is about to change. Refused when that change would be refused. */
  slots: idempotent(
    peerRead('slots', { speaksFor: 'user_id', refusedWhilePaused: true }, ofSource.extend(atMoment), z.object({ slots: Slots })),
  ),
  /** The field was edited. Each copy is its new value, sealed for the service of its slot. */
  follow: idempotent(
    peerWrite(
      'follow',
      { speaksFor: 'user_id', personAct: followed },
      ofSource.extend({
        is_private: z.boolean(),
        copies: z.array(Copy),
        stated: StatedEdit.optional(),
        ...ofCompany,
        ...atMoment,
      }),
      Done,
    ),
    'in_turn',
  ),
  /** The field was deleted, and its live copies go with it. */
  forget: idempotent(
    peerWrite(
      'forget',
      {
        speaksFor: 'user_id',
        personAct: ({ field, by, at }) => ({ act: by ?? 'delete_contact_data', on: field, body: {}, at, relayed: { copies: [] } }),
      },
      ofSource.extend({ by: z.enum(['delete_contact_data', 'delete_contact_field']).optional(), ...ofCompany, ...atMoment }),
      Done,
    ),
    'in_turn',
  ),
  /** The field gained or lost its verification. Its value is unchanged. */
  verify: idempotent(
    peerWrite('verify', { speaksFor: 'user_id' }, ofSource.extend({ verification: Verification, ...ofCompany, ...atMoment }), Done),
    'in_turn',
  ),
} as const;

/** The longest piece: well below what a message of the bus holds, since quotes are escaped once more. */
export const PIECE_CHARS = 192 * 1024;
/** The most pieces: enough for the largest body that a customer may send. */
const PIECES = 600;

/** A request that is too long for one message comes in pieces first, and is then performed as if it had come in one. @gap D1-1 */
export const CHUNK_SUBJECTS = {
  piece: peerWrite(
    'piece',
    { speaksFor: { nobody: 'nothing reads a piece until a request names it, and that request says for whom it is made' } },
    z.strictObject({
      transfer_id: Id,
      position: z
        .int()
        .min(0)
        .max(PIECES - 1),
      piece: z.string().max(PIECE_CHARS),
    }),
    Done,
  ),
  /** Answers the request in the pieces. The operation is the last word of the subject on which it would have come in one message. */
  open: peerWrite(
    'open',
    { speaksFor: { nobody: 'the request in the pieces says for whom it is made' } },
    z.strictObject({ transfer_id: Id, pieces: z.int().min(1).max(PIECES), operation: z.string().max(100) }),
    z.unknown(),
  ),
} as const;
