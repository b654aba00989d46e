import type { Subject } from '@cds/contracts';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import type { Observable } from 'rxjs';
import type { BusContext, MessageOf, ReplyOf, ValuesOf } from './bus-context.ts';

/** The transport's id. An app with several transports binds these patterns to this one alone. */
export const BUS_TRANSPORT = Symbol('bus');

/** The name under which a pattern's extras carry the binding. */
export const BINDING = 'bus';

export interface AnswersOptions<S extends Subject> {
  /** Replicas that give the same queue share the requests. It may name fixed parameters: `region-{region}`. */
  queue?: string;
  /** Parameters of the subject that have the values this service was started with; the others match anything. */
  fixed?: readonly (keyof ValuesOf<S> & string)[];
}

export interface AnswersBinding {
  subjects: readonly Subject[];
  queue: string | undefined;
  fixed: readonly string[];
}

type Returned<T> = T | Promise<T> | Observable<T>;
type Handler<S extends Subject> = (message: MessageOf<S>, context: BusContext<S>) => Returned<ReplyOf<S>>;

/**
 * Nest's @MessagePattern for a subject of the bus, or for several: the method answers requests there. The contract gives the types. It
 * belongs on a controller in a `.bus.ts` file, as Nest looks for patterns in controllers alone.
 */
export const Answers =
  <const S extends Subject>(subject: S | readonly S[], { queue, fixed = [] }: AnswersOptions<NoInfer<S>> = {}) =>
  <H extends Handler<S>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    const subjects = [subject].flat() as S[];
    const binding: AnswersBinding = { subjects, queue, fixed };
    const patterns = subjects.map(({ pattern }) => pattern);
    MessagePattern(patterns, BUS_TRANSPORT, { [BINDING]: binding })(target, name, method as PropertyDescriptor);
    decorateParameters(target, name, method.value!.length);
  };

/**
 * The message is the first parameter and the context the second, unless the method decorates its parameters itself, and then all of them.
 */
function decorateParameters(target: object, name: string, parameters: number): void {
  const decorated = Reflect.getMetadata(PARAM_ARGS_METADATA, target.constructor, name) as object | undefined;
  if (!decorated) {
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
  } else if (Object.keys(decorated).length < parameters) {
    throw new Error(`${target.constructor.name}.${name}: decorate every parameter with @Payload() or @Ctx(), or none`);
  }
}
