import type { Subject } from '@codase/contracts';
import { Server, type CustomTransportStrategy, type MessageHandler, type MsPattern } from '@nestjs/microservices';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { DurableConsumer, type Bus, type Delivery, type RequestContext } from '../bus/index.ts';
import type { Log } from '../telemetry/index.ts';
import type { AnswersBinding } from './answers.ts';
import { BusContext, EventContext } from './bus-context.ts';
import type { ConsumesBinding } from './consumes.ts';
import { BINDING, BUS_TRANSPORT } from './decorators.ts';

/** Values of subject parameters that are known when a service starts. Several values of one mean a subscription or consumer for each. */
export type FixedParameters = Readonly<Record<string, string | readonly string[]>>;

type Values = Record<string, string>;

interface Bound<B> {
  subject: Subject;
  binding: B;
  handler: MessageHandler;
}

interface RunningConsumer {
  as: string;
  consumer: Pick<DurableConsumer<never, never>, 'isSubscribed' | 'stop'>;
}

/** Nest's transport over the typed bus, which validates, traces and acks. Nest runs guards, pipes, interceptors and filters. */
export class BusTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = BUS_TRANSPORT;
  /** A consumer acks an event unless its handler fails, so the error has to reach the consumer. */
  override readonly propagatesEventHandlerErrors = true;

  private readonly answers: Bound<AnswersBinding>[] = [];
  private readonly consumes: Bound<ConsumesBinding>[] = [];
  private readonly subscriptions: { drain(): Promise<void> }[] = [];
  private readonly consumers: RunningConsumer[] = [];
  private running = 0;
  private onIdle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly parameters: FixedParameters = {},
  ) {
    super();
  }

  /** Names of the durable consumers that no event would reach now; undefined when there are no consumers at all. */
  get unheard(): readonly string[] | undefined {
    if (this.consumes.length === 0) return undefined;
    return this.consumers.filter(({ consumer }) => !consumer.isSubscribed).map(({ as }) => as);
  }

  /**
   * Keeps a handler; Nest calls this for each pattern. The map of the base class would let the later of two handlers of one subject replace
   * the earlier, and would run two consumers of one subject as one, which share an ack.
   */
  override addHandler(pattern: MsPattern, handler: MessageHandler, _isEvent?: boolean, extras: Record<string, unknown> = {}): void {
    const binding = extras[BINDING] as AnswersBinding | ConsumesBinding | undefined;
    const subject = binding?.subjects.find((one) => one.pattern === pattern);
    if (!binding || !subject) throw new Error(`The pattern ${String(pattern)} is bound without @Answers or @Consumes`);
    this.messageHandlers.set(subject.pattern, handler);
    if (binding.kind === 'consumes') this.consumes.push({ subject, binding, handler });
    else this.answers.push({ subject, binding, handler });
  }

  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const failure = await this.bind().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) await this.close();
    callback(failure);
  }

  /** Lets new requests and events go to other replicas, and finishes those in hand. A second call waits for the first. */
  override close(): Promise<void> {
    return (this.closing ??= this.drain());
  }

  override on(): never {
    throw new Error('The bus has no events to listen to: it logs the state of its connection');
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  private async bind(): Promise<void> {
    await Promise.all(this.answers.map((bound) => this.subscribe(bound))); // at the same time, so that they are sent in one write
    for (const bound of this.consumes) await this.consume(bound);
  }

  private async subscribe({ subject, binding, handler }: Bound<AnswersBinding>): Promise<void> {
    for (const values of this.valuesOf(binding.fixed)) {
      const queue = binding.queue === undefined ? {} : { queue: filled(binding.queue, values) };
      const answer = (message: unknown, found: Values, { user, withinMs }: RequestContext) =>
        this.run(handler, message, new BusContext(subject, found, user, withinMs));
      this.subscriptions.push(await this.bus.answer(subject, values, answer, queue));
    }
  }

  private async consume({ subject, binding, handler }: Bound<ConsumesBinding>): Promise<void> {
    for (const values of this.valuesOf(binding.fixed)) {
      const as = filled(binding.options.as, values);
      const options = { ...binding.options, as, only: { ...binding.options.only, ...values } };
      const handle = async (message: unknown, found: Values, delivery: Delivery) => {
        const result: unknown = await handler(message, new EventContext(subject, found, delivery));
        if (isObservable(result)) await lastOf(result);
      };
      this.consumers.push({ as, consumer: await DurableConsumer.start(this.bus, subject, options, handle, this.log) });
    }
  }

  /** Waits for the work in hand; a consumer not for a handler whose event was taken away because it does not end. */
  private async drain(): Promise<void> {
    const stopped = this.consumers.map(({ consumer }) => consumer.stop());
    await Promise.all([...stopped, ...this.subscriptions.map((subscription) => subscription.drain())]);
    if (this.running > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  private async run(handler: MessageHandler, message: unknown, context: BusContext): Promise<unknown> {
    this.running += 1;
    try {
      const result: unknown = await handler(message, context);
      return isObservable(result) ? await lastOf(result) : result;
    } finally {
      this.running -= 1;
      if (this.running === 0) this.onIdle?.();
    }
  }

  /** One set of values for each combination of the fixed parameters. */
  private valuesOf(fixed: readonly string[]): Values[] {
    return fixed.reduce<Values[]>(
      (sets, name) => {
        const known = this.parameters[name];
        if (known === undefined) throw new Error(`No value for {${name}}: give it in the service's parameters`);
        return sets.flatMap((set) => [known].flat().map((value) => ({ ...set, [name]: value })));
      },
      [{}],
    );
  }
}

/** Nest returns an Observable when an interceptor or a filter took part, or the handler returned one: its last value counts. */
const lastOf = (answer: Observable<unknown>): Promise<unknown> => lastValueFrom(answer, { defaultValue: undefined });

const filled = (template: string, values: Values): string => template.replace(/{(\w+)}/g, (whole, name: string) => values[name] ?? whole);
