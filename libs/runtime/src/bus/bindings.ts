import { SetMetadata } from '@nestjs/common';
import type { Subject, Values } from '@cds/contracts';
import type { z } from 'zod';
import type { Answer } from './bus.ts';
import type { ConsumerOptions } from './durable-consumer.ts';

export const ANSWERS = Symbol('answers');
export const CONSUMES = Symbol('consumes');

export interface AnswersBinding { subject: Subject; queue: string }
export interface ConsumesBinding { subject: Subject; options: ConsumerOptions }

/** Binds a method to requests on a subject; replicas share them by queue. The contract gives the types. */
export const Answers =
  <P extends string, M extends z.ZodType, R extends z.ZodType>(subject: Subject<P, M, R>, { queue }: { queue: string }) =>
  <H extends Answer<P, M, R>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void =>
    void SetMetadata(ANSWERS, { subject, queue } as unknown as AnswersBinding)(target, name, method as PropertyDescriptor);

/** Binds a method to a durable consumer of a subject's stream: acked when it returns, tried again when it throws. */
export const Consumes =
  <P extends string, M extends z.ZodType>(subject: Subject<P, M>, options: ConsumerOptions) =>
  <H extends (message: z.output<M>, values: Values<P>) => void | Promise<void>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void =>
    void SetMetadata(CONSUMES, { subject, options } as unknown as ConsumesBinding)(target, name, method as PropertyDescriptor);
