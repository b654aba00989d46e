import { z } from 'zod';
import { PublicKey } from '../core/sealed.ts';
import { operatorRegionSubject, peerSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { CustomerType, Id, Slug, Timestamp } from '../core/text.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { CustomerConnection, ServiceCard } from './customer-shapes.ts';
import { verification } from './shapes.ts';

/**
 * What a customer's home region asks of the region in which a connection lives, which is the company's. A connection is kept nowhere
 * else, so that no second copy can disagree. @gap D1-1
 */

const Done = z.null();
const ofCustomer = z.strictObject({ user_id: Id });
const ofConnection = ofCustomer.extend({ connection_id: Id });
const ofService = z.strictObject({ company_user_id: Id, service_code: z.string() });

/** What a service learns of its customer. */
export const Customer = z.strictObject({
  user_id: Id,
  type: CustomerType,
  display_name: z.string(),
  share_code: z.string(),
  public_key: PublicKey,
});
export type Customer = z.infer<typeof Customer>;

/** What is known of a verified value beside the value. @spec D1-2.7 */
export const Verification = z.strictObject(verification);
export type Verification = z.infer<typeof Verification>;

/** An answer with what the home region knows of its source; the service learns nothing of the source itself. @spec D1-2.5 */
export const SentValue = z.strictObject({
  slug: Slug,
  value: z.string(),
  live: z.boolean(),
  source_private: z.boolean(),
  /** Its type is null when the customer has no such field. */
  source: z.strictObject({ field: Slug, type: z.string().nullable(), verification: Verification }).nullable(),
});
export type SentValue = z.infer<typeof SentValue>;

const Slots = z.array(z.object({ company_user_id: Id, connection_id: Id, slug: z.string(), type: z.string() }));
const ofSource = ofCustomer.extend({ field: Slug });
/** When the customer did it, by the clock of its home region: what was held up on its way does not undo what came after it. */
const atMoment = { at: Timestamp };
/** Only the slots of this company, which must live in the region that is asked; absent: of all companies that live there. */
const ofCompany = { company_user_id: Id.optional() };

/**
 * Asked by region of region; in its own region a customer is served without the bus. A change is made known by its customer and moment: one
 * that comes again finds its own result.
 */
export const CONNECTION_SUBJECTS = {
  card: idempotent(peerSubject('card', ofService.extend({ type: CustomerType }), ServiceCard)),
  /** A pass to the plugins that answer rows of the card: it holds for minutes, and opens nothing. */
  pluginPass: idempotent(peerSubject('plugin_pass', ofService.extend({ type: CustomerType }), PluginPass)),
  connect: peerSubject('connect', ofService.extend({ customer: Customer, values: z.array(SentValue), ...atMoment }), CustomerConnection),
  /** Where the customer's connections stand in a list, the oldest first. */
  places: idempotent(
    peerSubject(
      'places',
      ofCustomer.extend({ limit: z.int(), after: z.strictObject({ at: Timestamp, id: Id }).nullable() }),
      z.object({ places: z.array(z.object({ at: Timestamp, id: Id })) }),
    ),
  ),
  read: idempotent(peerSubject('read', ofConnection, CustomerConnection)),
  change: idempotent(
    peerSubject(
      'change',
      ofConnection.extend({ values: z.array(SentValue), drop: z.array(Slug), decline: z.array(Slug), ...atMoment }),
      CustomerConnection,
    ),
    'in_turn',
  ),
  /** Answers the company, when the customer has no other connection with it. */
  disconnect: peerSubject('disconnect', ofConnection, z.object({ last_of: Id.nullable() })),
  /** The live slots that follow a field of the customer, which is about to change. Refused where that change would be. */
  slots: idempotent(peerSubject('slots', ofSource.extend(atMoment), z.object({ slots: Slots }))),
  /** The field was edited: each copy is its new value, sealed for the service of its slot. */
  follow: idempotent(
    peerSubject(
      'follow',
      ofSource.extend({
        is_private: z.boolean(),
        copies: z.array(z.strictObject({ connection_id: Id, slug: Slug, value: z.string() })),
        ...ofCompany,
        ...atMoment,
      }),
      Done,
    ),
    'in_turn',
  ),
  /** The field is gone, and its live copies with it. */
  forget: idempotent(peerSubject('forget', ofSource.extend({ ...ofCompany, ...atMoment }), Done), 'in_turn'),
  /** The field gained or lost its verification; its value is what it was. */
  verify: idempotent(peerSubject('verify', ofSource.extend({ verification: Verification, ...ofCompany, ...atMoment }), Done), 'in_turn'),
} as const;

/** Well below what a message of the bus holds, since quotes are escaped once more. */
export const PIECE_CHARS = 192 * 1024;
/** Room for the largest body a customer may send. */
const PIECES = 600;
const OPERATIONS = Object.keys(CONNECTION_SUBJECTS) as (keyof typeof CONNECTION_SUBJECTS)[];

/** What is too long for one message comes in pieces first, and is then asked as if it had come in one. @gap D1-1 */
export const CHUNK_SUBJECTS = {
  piece: peerSubject(
    'piece',
    z.strictObject({
      parcel_id: Id,
      position: z
        .int()
        .min(0)
        .max(PIECES - 1),
      piece: z.string().max(PIECE_CHARS),
    }),
    Done,
  ),
  /** Answers what the operation answers. */
  open: peerSubject(
    'open',
    z.strictObject({ parcel_id: Id, pieces: z.int().min(1).max(PIECES), operation: z.enum(OPERATIONS) }),
    z.unknown(),
  ),
} as const;

/**
 * Asked of the home region of a user by an operator, for the provider that verified the value; an empty verification removes it.
 * @gap D1-2.7
 */
export const MARK_VERIFIED = operatorRegionSubject('mark_verified', ofSource.extend({ verification: Verification }), Done);
