import { z } from 'zod';
import { Id } from '../core/text.ts';
import { ChallengeCard } from '../twofa/shapes.ts';

/** What the phones of a person hear of, by its kind: the shape of what is sent with it. @gap D1-1 */
export const APP_EVENTS = {
  /** A login waits for the person: the card to show. */
  challenge_raised: ChallengeCard,
  /** The login no longer waits, however it ended: its card is taken away on every device. */
  challenge_closed: z.object({ challenge_id: Id }),
} as const;
export type AppEventKind = keyof typeof APP_EVENTS;
export const AppEventKind = z.enum(Object.keys(APP_EVENTS) as [AppEventKind, ...AppEventKind[]]);
/** What is sent with an event of a kind. */
export type AppEventData<K extends AppEventKind = AppEventKind> = z.input<(typeof APP_EVENTS)[K]>;
