import {
  BadRequestException,
  Controller,
  Injectable,
  Module,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  type NestInterceptor,
  type OnModuleDestroy,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { EventPattern, type MicroserviceOptions } from '@nestjs/microservices';
import { Refusal, subject } from '@codase/contracts';
import { ensureParkedStream, ensureStream, type Bus } from '@codase/runtime/bus';
import { BusTransport, Consumes, Ctx, EventContext, Payload, type FixedParameters, type MessageOf } from '@codase/runtime/nest-bus';
import { startService, type RunningService } from '@codase/runtime/service';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, TestBus } from '@codase/testing';
import { from, tap, type Observable } from 'rxjs';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

const ORDERED = subject('test.ordered.{shop}', { stream: 'ORDERS', message: z.strictObject({ n: z.int() }) });
type Order = MessageOf<typeof ORDERED>;
const QUICK = { as: 'taker', backoffMs: [10, 10], postponeMs: [10] };

const moduleOf = (controllers: Type[], providers: NonNullable<DynamicModule['providers']> = []): Type => {
  @Module({ controllers, providers })
  class TestModule {}
  return TestModule;
};
/** A promise that is resolved from outside. */
function gate(): { promise: Promise<void>; resolve(): void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
const until = (holds: () => boolean | Promise<boolean>) => eventually(async () => (await holds()) || undefined);

describe('a durable consumer as a Nest event handler', () => {
  let nats: TestBus;
  let bus: Bus;
  const running: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    process.env['LOG_LEVEL'] ??= 'silent';
    nats = await TestBus.open();
  });
  afterAll(() => nats?.close());
  beforeEach(async () => {
    bus = await nats.connect();
    await ensureParkedStream(bus);
    await ensureStream(bus, 'ORDERS', [ORDERED]);
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.close();
    await nats.clear();
  });

  const start = async (module: Type, parameters: FixedParameters = {}, more = {}): Promise<RunningService> => {
    const config = { ...serviceConfig(nats), ...more };
    const service = await startService({ name: 'tested', config, build: async () => ({ module, parameters }) });
    running.push(service);
    return service;
  };
  const publish = async (...ns: number[]) => {
    for (const n of ns) await bus.publish(ORDERED, { shop: 'corner' }, { n }, `order-${n}`);
  };
  const consumer = async (name = 'taker') => (await bus.manager()).consumers.info('ORDERS', name);
  const acked = async (name?: string) => (await consumer(name)).ack_floor.stream_seq;
  const parkedReason = async () => {
    const manager = await bus.manager();
    await until(async () => (await manager.streams.info('PARKED')).state.messages === 1);
    return (await manager.streams.getMessage('PARKED', { last_by_subj: 'codase.parked.v1.taker' }))!.header.get('Codase-Reason');
  };
  const parked = async () => (await (await bus.manager()).streams.info('PARKED')).state.messages;

  describe('an event for a Nest controller', () => {
    it('reaches the controller once, in order, with its values and its delivery', async () => {
      const seen: string[] = [];
      @Controller()
      class Taking {
        @Consumes(ORDERED, { ...QUICK, ackWaitMs: 1500 })
        take({ n }: Order, { values, delivery }: EventContext<typeof ORDERED>): void {
          seen.push(`${values.shop} ${n} ${delivery.id} ${delivery.attempt}`);
        }
      }
      await start(moduleOf([Taking]));
      await publish(1, 2, 2, 3);

      await until(async () => (await acked()) === 3);

      expect(seen).toEqual(['corner 1 order-1 1', 'corner 2 order-2 1', 'corner 3 order-3 1']);
      expect((await consumer()).config).toMatchObject({ ack_wait: 1_500_000_000, max_ack_pending: 1 });
    });

    it('is delivered to a separate consumer for each value given at start', async () => {
      const seen: string[] = [];
      @Controller()
      class Taking {
        @Consumes(ORDERED, { ...QUICK, as: 'taker_{shop}', fixed: ['shop'] })
        take(_: Order, { values }: EventContext<typeof ORDERED>): void {
          seen.push(values.shop);
        }
      }
      await start(moduleOf([Taking]), { shop: ['corner', 'mall'] });
      for (const shop of ['corner', 'elsewhere', 'mall']) await bus.publish(ORDERED, { shop }, { n: 1 }, shop);

      await until(() => seen.length === 2);

      expect(seen.toSorted()).toEqual(['corner', 'mall']);
      expect((await consumer('taker_mall')).config.filter_subject).toBe('test.ordered.mall');
    });

    it('is acknowledged after its handler ends, separately for each consumer of its subject', async () => {
      const slow = gate();
      @Controller()
      class Two {
        @Consumes(ORDERED, { as: 'slow' })
        slow(): Observable<void> {
          return from(slow.promise);
        }

        @Consumes(ORDERED, { as: 'quick' })
        quick(): void {}
      }
      await start(moduleOf([Two]));
      await publish(1);

      await until(async () => (await acked('quick')) === 1);

      expect(await consumer('slow')).toMatchObject({ num_ack_pending: 1, ack_floor: { stream_seq: 0 } });
      slow.resolve();
      await until(async () => (await acked('slow')) === 1);
    });

    it('is retried when its handler throws, also behind an interceptor, and then parked', async () => {
      const tries: string[] = [];
      class Passing implements NestInterceptor {
        intercept = (_host: ExecutionContext, next: CallHandler) => next.handle();
      }
      @Controller()
      @UseInterceptors(Passing)
      class Failing {
        @Consumes(ORDERED, QUICK)
        async take({ n }: Order, { delivery }: EventContext<typeof ORDERED>): Promise<void> {
          tries.push(`${n} ${delivery.attempt}`);
          if (n === 1) throw new TypeError('never');
        }
      }
      await start(moduleOf([Failing]));
      await publish(1, 2);

      await until(async () => (await acked()) === 2);

      expect(tries).toEqual(['1 1', '1 2', '1 3', '2 1']);
      expect(await parkedReason()).toBe('TypeError');
    });

    it('is redelivered after a pause, and never parked, while its handler fails with a transient error', async () => {
      const tries: string[] = [];
      @Controller()
      class Postponing {
        @Consumes(ORDERED, QUICK)
        async take({ n }: Order, { delivery }: EventContext<typeof ORDERED>): Promise<void> {
          tries.push(`${n} ${delivery.attempt}`);
          if (n === 1 && delivery.attempt < 6) throw new Refusal('service.unavailable');
        }
      }
      await start(moduleOf([Postponing]));
      await publish(1, 2);

      await until(async () => (await acked()) === 2);

      expect(tries).toEqual(['1 1', '1 2', '1 3', '1 4', '1 5', '1 6', '2 1']);
      expect(await parked()).toBe(0);
    });

    it('is parked in an app without the filter of CoreModule, where no error is transient', async () => {
      @Controller()
      class Postponing {
        @Consumes(ORDERED, QUICK)
        take(): void {
          throw new Refusal('service.unavailable');
        }
      }
      const strategy = new BusTransport(await nats.connect(), silentLog);
      const app = await NestFactory.createMicroservice<MicroserviceOptions>(moduleOf([Postponing]), { strategy, logger: false });
      running.push(app);
      await app.listen();
      await publish(1);

      expect(await parkedReason()).not.toBe('service.unavailable');
    });

    it('runs through guards, interceptors and pipes of its method', async () => {
      const seen: string[] = [];
      @Injectable()
      class OfTheCorner implements CanActivate {
        canActivate(host: ExecutionContext): boolean {
          const { values, delivery } = host.switchToRpc().getContext<EventContext<typeof ORDERED>>();
          seen.push(`guard ${values.shop} ${delivery.attempt}`);
          return values.shop === 'corner';
        }
      }
      @Injectable()
      class Noting implements NestInterceptor {
        intercept = (_host: ExecutionContext, next: CallHandler) => next.handle().pipe(tap({ complete: () => seen.push('noted') }));
      }
      class Doubled implements PipeTransform {
        transform = ({ n }: Order) => ({ n: 2 * n });
      }
      @Controller()
      class Guarded {
        @Consumes(ORDERED, QUICK)
        @UseGuards(OfTheCorner)
        @UseInterceptors(Noting)
        take(@Payload(Doubled) { n }: Order, @Ctx() { values }: EventContext<typeof ORDERED>): void {
          seen.push(`${values.shop} ${n}`);
        }
      }
      await start(moduleOf([Guarded]));
      await publish(4);
      await until(async () => (await acked()) === 1);
      expect(seen).toEqual(['guard corner 1', 'corner 8', 'noted']);

      await bus.publish(ORDERED, { shop: 'mall' }, { n: 1 }, 'mall');

      expect(await parkedReason()).toBe('Error');
      expect(seen.slice(3)).toEqual(['guard mall 1', 'guard mall 2', 'guard mall 3']);
    });

    it('runs through global guards and pipes', async () => {
      const seen: number[] = [];
      @Controller()
      class Taking {
        @Consumes(ORDERED, QUICK)
        take({ n }: Order): void {
          seen.push(n);
        }
      }
      class Even implements PipeTransform {
        transform(value: unknown) {
          if (value instanceof EventContext) return value;
          if ((value as Order).n % 2) throw new BadRequestException();
          return value;
        }
      }
      const piped = await start(moduleOf([Taking], [{ provide: APP_PIPE, useClass: Even }]));
      await publish(1, 2);
      expect(await parkedReason()).toBe('BadRequestException');
      await until(() => seen.length === 1);
      await piped.close();

      class Closed implements CanActivate {
        canActivate = () => false;
      }
      await start(moduleOf([Taking], [{ provide: APP_GUARD, useClass: Closed }]));
      await publish(4);
      await until(async () => (await parked()) === 2);
      expect(seen).toEqual([2]);
    });
  });

  describe('a service with durable consumers', () => {
    it('finishes current events before it closes any provider of the module', async () => {
      const order: string[] = [];
      const [begun, end] = [gate(), gate()];
      @Injectable()
      class Store implements OnModuleDestroy {
        onModuleDestroy() {
          order.push('store closed');
        }
      }
      @Controller()
      class Slow {
        constructor(readonly store: Store) {}

        @Consumes(ORDERED, QUICK)
        async take(_: Order, { delivery }: EventContext<typeof ORDERED>): Promise<void> {
          delivery.signal.addEventListener('abort', () => end.resolve());
          begun.resolve();
          await end.promise;
          order.push('handled');
        }
      }
      const service = await start(moduleOf([Slow], [Store]));
      await publish(1);
      await begun.promise;

      await service.close();

      expect(order).toEqual(['handled', 'store closed']);
      expect(await acked()).toBe(1);
    });

    it('closes without waiting for a handler that exceeded its time', async () => {
      let tries = 0;
      @Controller()
      class Hanging {
        @Consumes(ORDERED, { ...QUICK, handleMs: 50 })
        async take(): Promise<void> {
          if (++tries === 1) await new Promise(() => {});
        }
      }
      const service = await start(moduleOf([Hanging]));
      await publish(1);
      await until(async () => (await acked()) === 1);

      await service.close();

      expect(tries).toBe(2);
    });

    it('is not ready while it receives no events', async () => {
      @Controller()
      class Taking {
        @Consumes(ORDERED, QUICK)
        take(): void {}
      }
      const { opsUrl } = await start(moduleOf([Taking]));
      const found = async () => (await fetch(`${opsUrl}/readyz`)).json() as Promise<{ ready: boolean; checks: Record<string, string> }>;
      expect(await found()).toMatchObject({ ready: true, checks: { events: 'ok' } });

      await (await bus.manager()).streams.delete('ORDERS');

      const lost = await eventually(async () => {
        const answer = await found();
        return answer.ready ? undefined : answer;
      });
      expect(lost.checks['events']).toBe('no events reach taker');
    });
  });

  describe('a durable consumer at start', () => {
    it('is refused when its stream does not exist, and consumers already started are stopped', async () => {
      const MISSING = subject('test.missing.{shop}', { stream: 'MISSING', message: z.strictObject({}) });
      @Controller()
      class Missing {
        @Consumes(ORDERED, QUICK)
        take(): void {}

        @Consumes(MISSING, { as: 'missing' })
        miss(): void {}
      }

      await expect(start(moduleOf([Missing]), {}, { CONNECT_SECONDS: 0 })).rejects.toThrow('The stream MISSING is not there');

      await until(async () => (await consumer()).num_waiting === 0);
    });

    it('is refused when a subject parameter has no value', async () => {
      @Controller()
      class Taking {
        @Consumes(ORDERED, { as: 'taker_{shop}', fixed: ['shop'] })
        take(): void {}
      }

      await expect(start(moduleOf([Taking]))).rejects.toThrow('No value for {shop}');
    });

    it('is refused when its event pattern is one of Nest itself', async () => {
      @Controller()
      class Foreign {
        @EventPattern('foreign')
        foreign(event: unknown) {
          String(event);
        }
      }

      await expect(start(moduleOf([Foreign]))).rejects.toThrow('bound without @Answers or @Consumes');
    });

    it('is refused in a provider, because Nest does not find it there', async () => {
      @Injectable()
      class Hidden {
        @Consumes(ORDERED, QUICK)
        take(): void {}
      }

      await expect(start(moduleOf([], [Hidden]))).rejects.toThrow('Hidden.take is bound to the bus in a provider');
    });

    it('is refused when no stream stores its subject', () => {
      const REQUEST = subject('test.asked', { message: z.strictObject({}) });
      expect(() => {
        class Streamless {
          @Consumes(REQUEST, { as: 'taker' })
          take(): void {}
        }
        return Streamless;
      }).toThrow('Streamless.take: no stream keeps test.asked');
    });

    it('is refused when its method decorates only some of its parameters', () => {
      expect(() => {
        class Half {
          @Consumes(ORDERED, QUICK)
          half(@Payload() { n }: Order, { values }: EventContext<typeof ORDERED>): void {
            String([n, values]);
          }
        }
        return Half;
      }).toThrow('decorate every parameter');
    });
  });
});
