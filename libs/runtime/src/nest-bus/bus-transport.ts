import type { Subject } from '@cds/contracts';
import { Server, type CustomTransportStrategy, type MessageHandler, type MsPattern } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Bus, RequestContext } from '../bus/index.ts';
import { BINDING, BUS_TRANSPORT, type AnswersBinding } from './answers.ts';
import { BusContext } from './bus-context.ts';

/** Values of subject parameters that are known when a service starts. Several values of one mean a subscription for each. */
export type FixedParameters = Readonly<Record<string, string | readonly string[]>>;

type Values = Record<string, string>;

interface Bound {
  subject: Subject;
  binding: AnswersBinding;
  handler: MessageHandler;
}

/**
 * Nest's transport over the typed bus. The bus carries, validates, traces and replies; Nest runs guards, pipes, interceptors and filters.
 */
export class BusTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = BUS_TRANSPORT;

  private readonly bound: Bound[] = [];
  private readonly subscriptions: { drain(): Promise<void> }[] = [];
  private running = 0;
  private onIdle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly parameters: FixedParameters = {},
  ) {
    super();
  }

  /** Nest calls it for each pattern. The map of the base class would let the later of two handlers of one subject replace the earlier. */
  override addHandler(pattern: MsPattern, handler: MessageHandler, _isEvent?: boolean, extras: Record<string, unknown> = {}): void {
    const binding = extras[BINDING] as AnswersBinding | undefined;
    const subject = binding?.subjects.find((one) => one.pattern === pattern);
    if (!binding || !subject) throw new Error(`The pattern ${String(pattern)} is bound without @Answers`);
    this.messageHandlers.set(subject.pattern, handler);
    this.bound.push({ subject, binding, handler });
  }

  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const failure = await this.subscribe().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) await this.close();
    callback(failure);
  }

  /** New requests go to other replicas; those in hand are answered. A second call waits for the first. */
  override close(): Promise<void> {
    return (this.closing ??= this.drain());
  }

  override on(): never {
    throw new Error('The bus has no events to listen to: it logs the state of its connection');
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  private async subscribe(): Promise<void> {
    for (const { subject, binding, handler } of this.bound)
      for (const values of this.valuesOf(binding.fixed)) {
        const queue = binding.queue === undefined ? {} : { queue: filled(binding.queue, values) };
        const answer = (message: unknown, found: Values, { user, withinMs }: RequestContext) =>
          this.run(handler, message, new BusContext(subject, found, user, withinMs));
        this.subscriptions.push(await this.bus.answer(subject, values, answer, queue));
      }
  }

  private async drain(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
    if (this.running > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Nest answers with an Observable where an interceptor or a filter took part, or the handler returned one: its last value counts. */
  private async run(handler: MessageHandler, message: unknown, context: BusContext): Promise<unknown> {
    this.running += 1;
    try {
      const result: unknown = await handler(message, context);
      return isObservable(result) ? await lastValueFrom(result, { defaultValue: undefined }) : result;
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

const filled = (template: string, values: Values): string => template.replace(/{(\w+)}/g, (whole, name: string) => values[name] ?? whole);
