import type { Subject } from '@codase/contracts';
import { EventPattern } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import type { ConsumerOptions } from '../bus/index.ts';
import type { EventContext, MessageOf, ValuesOf } from './bus-context.ts';
import { BINDING, BUS_TRANSPORT, decorateParameters } from './decorators.ts';

/** `as` may name fixed parameters: `outcomes_{partition}`. Several values of one mean a consumer for each. */
export interface ConsumesOptions<S extends Subject> extends ConsumerOptions<S['pattern']> {
  /** Parameters of the subject that have the values this service was started with. */
  fixed?: readonly (keyof ValuesOf<S> & string)[];
}

export interface ConsumesBinding {
  kind: 'consumes';
  subjects: readonly [Subject];
  options: ConsumerOptions;
  fixed: readonly string[];
}

type Handler<S extends Subject> = (message: MessageOf<S>, context: EventContext<S>) => void | Promise<void> | Observable<void>;

/**
 * Nest's @EventPattern for a subject that a stream keeps: a durable consumer hands its events to the method. An event is acked when the
 * method has ended, retried when it throws, and parked when that does not help. An event may come twice, so its effect must be idempotent.
 * It belongs on a controller in a `.bus.ts` file, as Nest looks for patterns in controllers alone.
 */
export const Consumes =
  <const S extends Subject>(subject: S, { fixed = [], ...options }: ConsumesOptions<NoInfer<S>>) =>
  <H extends Handler<S>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    if (subject.stream === undefined) throw new Error(`${target.constructor.name}.${name}: no stream keeps ${subject.pattern}, answer it`);
    const binding: ConsumesBinding = { kind: 'consumes', subjects: [subject], options: options as ConsumerOptions, fixed };
    const decorate = EventPattern(subject.pattern, BUS_TRANSPORT, { [BINDING]: binding }) as MethodDecorator;
    decorate(target, name, method);
    decorateParameters(target, name, method.value!.length);
  };
