import type { Subject } from '@codase/contracts';
import { MessagePattern } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import type { BusContext, MessageOf, ReplyOf, ValuesOf } from './bus-context.ts';
import { BINDING, BUS_TRANSPORT, decorateParameters } from './decorators.ts';

export interface AnswersOptions<S extends Subject> {
  /** Replicas that give the same queue share the requests. It may name fixed parameters: `region-{region}`. */
  queue?: string;
  /** Parameters of the subject that have the values this service was started with; the others match anything. */
  fixed?: readonly (keyof ValuesOf<S> & string)[];
}

export interface AnswersBinding {
  kind: 'answers';
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
    const binding: AnswersBinding = { kind: 'answers', subjects, queue, fixed };
    const patterns = subjects.map(({ pattern }) => pattern);
    MessagePattern(patterns, BUS_TRANSPORT, { [BINDING]: binding })(target, name, method as PropertyDescriptor);
    decorateParameters(target, name, method.value!.length);
  };
