import { z } from 'zod';
import { expects } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Id } from '../core/text.ts';
import { ChallengeCard } from '../twofa/shapes.ts';

/** A run, and the connection by which the person takes part in it. */
const OfRun = z.object({ flow_run_id: Id, connection_id: Id });

/** The events that a person's phones receive: for each kind, the shape of its data. @gap D1-1 */
export const APP_EVENTS = {
  /** A login waits for the person: the card to show. */
  challenge_raised: ChallengeCard,
  /** The login no longer waits, however it ended: remove its card on every device. */
  challenge_closed: z.object({ challenge_id: Id }),
  /** A sign-in with an app of a company waits for the person: read the list of sign-ins. @gap D1-4.6 */
  sign_in_waiting: z.object({ sign_in_id: Id }),
  /** A connection is over, whichever side ended it: remove it. @spec D1-4.2 */
  connection_deleted: z.object({ connection_id: Id }),
  /** A document arrived: read it. */
  document_created: z.object({ document_id: Id }),
  /** The status, the file or other data of the document changed, whoever changed it: read it again. */
  document_updated: z.object({ document_id: Id }),
  /** The document was deleted: remove it. */
  document_deleted: z.object({ document_id: Id }),
  /** A service asks the person to connect: read the list of connect requests again. */
  connection_requested: z.object({ request_id: Id }),
  /** The person has answered, on this phone or another: remove the request. */
  connection_request_closed: z.object({ request_id: Id }),
  /** A company made the person its delegate, changed what it grants, or ended it: read the list of delegations again. */
  delegation_changed: z.object({ delegation_id: Id }),
  /** A service wrote on this connection: read its messages again. */
  message_received: z.object({ connection_id: Id }),
  /** A service has read the person's messages, or the person has read on another phone: read receipts and counts again. */
  messages_read: z.object({ connection_id: Id }),
  /** A run waits for the person: read it. @spec D2-6 */
  flow_run_turn: OfRun,
  /** A run that the person takes part in came to its end. @spec D2-6 */
  flow_completed: OfRun,
  /** The run was cancelled, whoever cancelled it. @gap D2-6 */
  flow_run_cancelled: OfRun,
} as const;
export type AppEventKind = keyof typeof APP_EVENTS;
const KINDS = Object.keys(APP_EVENTS) as [AppEventKind, ...AppEventKind[]];
export const AppEventKind = z.enum(KINDS);
/** The data of an event of a kind. */
export type AppEventData<K extends AppEventKind = AppEventKind> = z.input<(typeof APP_EVENTS)[K]>;

/** The position of an event among those of its person. Phones send it back as they got it. */
export const AppEventId = z.string().regex(/^[A-Za-z0-9_]{1,64}-(0|[1-9][0-9]{0,14})$/, expects('must be the id of an event, as it came'));

const eventOf = <const E extends string, D extends z.ZodType>(event: E, data: D) =>
  z.object({ id: AppEventId, event: z.literal(event), data });
type EventOf<K extends AppEventKind> = z.ZodObject<{ id: typeof AppEventId; event: z.ZodLiteral<K>; data: (typeof APP_EVENTS)[K] }>;

/** The phone reads its lists again: it has only begun to listen, or the server does not know what it has missed. */
const Reset = eventOf('reset', z.object({}));

/** An event as a phone gets it. */
export const AppEvent = named(
  'AppEvent',
  z.discriminatedUnion('event', [
    Reset,
    ...(KINDS.map((kind) => eventOf(kind, APP_EVENTS[kind])) as unknown as { [K in AppEventKind]: EventOf<K> }[AppEventKind][]),
  ]),
);
export type AppEvent = z.infer<typeof AppEvent>;
