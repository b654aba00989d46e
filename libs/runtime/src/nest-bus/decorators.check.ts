// Compiled, never run: each line under @ts-expect-error must not compile.
import { subject } from '@codase/contracts';
import { of } from 'rxjs';
import { z } from 'zod';
import { Answers, Consumes, type BusContext, type EventContext } from './index.ts';

const named = z.strictObject({ name: z.string() });
const GREET = subject('check.greet.{region}.{language}', { message: named, reply: z.object({ text: z.string() }) });
const COUNT = subject('check.count.{region}.{language}', { message: named, reply: z.object({ count: z.int() }) });
const ORDER = subject('check.order.{shop}', { message: named, reply: z.object({ text: z.string() }) });
const ORDERED = subject('check.ordered.{shop}', { stream: 'ORDERS', message: named });

export class Checked {
  @Answers(GREET, { queue: 'greeting-{region}', fixed: ['region'] })
  fits({ name }: { name: string }, { values, user }: BusContext<typeof GREET>) {
    return { text: `${values.language} ${name} ${user}` };
  }

  @Answers(GREET)
  async fitsAsPromise() {
    return { text: '' };
  }

  @Answers(GREET)
  fitsAsObservable() {
    return of({ text: '' });
  }

  @Answers([GREET, COUNT])
  fitsSeveral({ name }: { name: string }, { subject: { pattern } }: BusContext<typeof GREET | typeof COUNT>) {
    return pattern === COUNT.pattern ? { count: name.length } : { text: name };
  }

  // @ts-expect-error the message has no number
  @Answers(GREET)
  wrongMessage({ name }: { name: number }) {
    return { text: String(name) };
  }

  // @ts-expect-error the reply lacks its text
  @Answers(GREET)
  wrongReply() {
    return { txt: '' };
  }

  // @ts-expect-error the reply is of another shape, as a promise too
  @Answers(GREET)
  async wrongPromise() {
    return { text: 7 };
  }

  @Answers(GREET)
  wrongValue(_: { name: string }, { values }: BusContext<typeof GREET>) {
    // @ts-expect-error the subject has no such parameter
    return { text: String(values.shop) };
  }

  // @ts-expect-error the context is of another subject
  @Answers(GREET)
  wrongContext(_: { name: string }, { values }: BusContext<typeof ORDER>) {
    return { text: values.shop };
  }

  // @ts-expect-error the subject has no parameter of this name
  @Answers(GREET, { fixed: ['shop'] })
  wrongFixed() {
    return { text: '' };
  }

  // @ts-expect-error a property is no method
  @Answers(GREET)
  property = async () => ({ text: '' });

  @Consumes(ORDERED, { as: 'consumer_{shop}', fixed: ['shop'] })
  consumes({ name }: { name: string }, { values, delivery }: EventContext<typeof ORDERED>) {
    String([name, values.shop, delivery.id]);
  }

  @Consumes(ORDERED, { as: 'consumer', only: { shop: 'corner' }, backoffMs: [10] })
  async consumesAsPromise() {}

  // @ts-expect-error a durable consumer has a name
  @Consumes(ORDERED, {})
  namelessConsumer() {}

  // @ts-expect-error the message has no number
  @Consumes(ORDERED, { as: 'consumer' })
  wrongEvent({ name }: { name: number }) {
    String(name);
  }

  // @ts-expect-error an event has no answer
  @Consumes(ORDERED, { as: 'consumer' })
  answersAnEvent() {
    return { text: '' };
  }

  // @ts-expect-error the context of an event is not that of a request
  @Consumes(ORDERED, { as: 'consumer' })
  wrongEventContext(_: { name: string }, { user }: BusContext<typeof ORDERED>) {
    String(user);
  }

  // @ts-expect-error the subject has no parameter of this name
  @Consumes(ORDERED, { as: 'consumer', fixed: ['language'] })
  wrongFixedOfEvent() {}
}
