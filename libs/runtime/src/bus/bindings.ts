import type { Subject, Values } from '@cds/contracts';
import type { z } from 'zod';
import type { Answer } from './bus.ts';
import type { ConsumerOptions } from './durable-consumer.ts';

export interface AnswersBinding {
  subject: Subject;
  queue: string;
}
export interface ConsumesBinding {
  subject: Subject;
  options: ConsumerOptions;
}

/**
 * What methods are bound to, by the method. Not in Nest's metadata: whoever only asks on the bus is not to wait for a framework.
 */
export const ANSWERS = new WeakMap<object, AnswersBinding>();
export const CONSUMES = new WeakMap<object, ConsumesBinding>();

/** Binds a method to requests on a subject; replicas share them by queue. The contract gives the types. */
export const Answers =
  <P extends string, M extends z.ZodType, R extends z.ZodType>(subject: Subject<P, M, R>, { queue }: { queue: string }) =>
  <H extends Answer<P, M, R>>(_target: object, _name: string, method: TypedPropertyDescriptor<H>): void =>
    void ANSWERS.set(method.value!, { subject, queue } as unknown as AnswersBinding);

/** Binds a method to a durable consumer of a subject's stream: acked when it returns, tried again when it throws. */
export const Consumes =
  <P extends string, M extends z.ZodType>(subject: Subject<P, M>, options: ConsumerOptions) =>
  <H extends (message: z.output<M>, values: Values<P>) => void | Promise<void>>(
    _target: object,
    _name: string,
    method: TypedPropertyDescriptor<H>,
  ): void =>
    void CONSUMES.set(method.value!, { subject, options } as unknown as ConsumesBinding);
