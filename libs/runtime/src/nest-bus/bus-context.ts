import type { Subject, Values } from '@codase/contracts';
import type { z } from 'zod';
import type { Delivery, RequestContext } from '../bus/index.ts';

export type MessageOf<S extends Subject> = z.output<S['message']>;
export type ReplyOf<S extends Subject> = z.input<NonNullable<S['reply']>>;
export type ValuesOf<S extends Subject> = Values<S['pattern']>;

/** What is known of a request beside its message: a handler gets it by `@Ctx()`, a guard by `switchToRpc().getContext()`. */
export class BusContext<S extends Subject = Subject> implements RequestContext {
  constructor(
    /** The subject that the request came on, for a handler of several subjects. */
    readonly subject: S,
    /** The values of the subject's parameters. */
    readonly values: ValuesOf<S>,
    readonly user: string | undefined,
    readonly withinMs: number | undefined,
  ) {}
}

/** What is known of an event beside its message. */
export class EventContext<S extends Subject = Subject> {
  constructor(
    readonly subject: S,
    /** The values of the subject's parameters. */
    readonly values: ValuesOf<S>,
    /** The id and headers of the event, how often it was tried, and the signal to stop. */
    readonly delivery: Delivery,
  ) {}
}
