import { z } from 'zod';
import { expects } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Id } from '../core/text.ts';
import { ChallengeCard } from '../twofa/shapes.ts';

/** A run, and the connection by which the person takes part in it. */
const OfRun = z.object({ flow_run_id: Id, connection_id: Id });

/** What the phones of a person hear of, by its kind: the shape of what is sent with it. @gap D1-1 */
export const APP_EVENTS = {
  /** A login waits for the person: the card to show. */
  challenge_raised: ChallengeCard,
  /** The login no longer waits, however it ended: its card is taken away on every device. */
  challenge_closed: z.object({ challenge_id: Id }),
  /** A connection is over, whichever side ended it: take it away. @spec D1-4.2 */
  connection_deleted: z.object({ connection_id: Id }),
  /** A document came: read it. */
  document_created: z.object({ document_id: Id }),
  /** Its status, its file or what is said of it changed, by whoever it was: read it again. */
  document_updated: z.object({ document_id: Id }),
  /** It is gone: take it away. */
  document_deleted: z.object({ document_id: Id }),
  /** A service asks the person to connect: the list of those who ask is read anew. */
  connection_requested: z.object({ request_id: Id }),
  /** The person has answered, on this phone or another: the request is taken away. */
  connection_request_closed: z.object({ request_id: Id }),
  /** A service wrote on this connection: its messages are read anew. */
  message_received: z.object({ connection_id: Id }),
  /** A service has read what the person wrote, or the person has read on another phone: receipts and counts are read anew. */
  messages_read: z.object({ connection_id: Id }),
  /** A run awaits the person: read it. @spec D2-6 */
  flow_run_turn: OfRun,
  /** A run that the person takes part in came to its end. @spec D2-6 */
  flow_completed: OfRun,
  /** It was cancelled, by whoever it was. @gap D2-6 */
  flow_run_cancelled: OfRun,
} as const;
export type AppEventKind = keyof typeof APP_EVENTS;
const KINDS = Object.keys(APP_EVENTS) as [AppEventKind, ...AppEventKind[]];
export const AppEventKind = z.enum(KINDS);
/** What is sent with an event of a kind. */
export type AppEventData<K extends AppEventKind = AppEventKind> = z.input<(typeof APP_EVENTS)[K]>;

/** The place of an event among those of its person; phones send it back as it came. */
export const AppEventId = z.string().regex(/^[A-Za-z0-9_]{1,64}-(0|[1-9][0-9]{0,14})$/, expects('must be the id of an event, as it came'));

const eventOf = <const E extends string, D extends z.ZodType>(event: E, data: D) =>
  z.object({ id: AppEventId, event: z.literal(event), data });
type EventOf<K extends AppEventKind> = z.ZodObject<{ id: typeof AppEventId; event: z.ZodLiteral<K>; data: (typeof APP_EVENTS)[K] }>;

/** Nobody knows any more what the phone has missed, or it has only begun to listen: it reads its lists anew. */
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
