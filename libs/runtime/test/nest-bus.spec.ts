import { setTimeout as pause } from 'node:timers/promises';
import {
  BadRequestException,
  Controller,
  Injectable,
  Module,
  Scope,
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
import { MessagePattern, type MicroserviceOptions } from '@nestjs/microservices';
import { Refusal, subject } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { Answers, BusContext, BusTransport, Ctx, Payload, type FixedParameters, type MessageOf } from '@codase/runtime/nest-bus';
import { startService, type RunningService } from '@codase/runtime/service';
import { silentLog } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import { map, of, type Observable } from 'rxjs';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

const shapes = { message: z.strictObject({ text: z.string() }), reply: z.object({ text: z.string() }) };
const ECHO = subject('test.echo.{key}', shapes);
const OTHER = subject('test.other.{key}', shapes);
const GREET = subject('test.greet.{region}.{language}', shapes);
type Message = MessageOf<typeof ECHO>;

@Controller()
class GreetBus {
  @Answers(GREET, { queue: 'greet-{region}', fixed: ['region'] })
  greet({ text }: Message, { values, user }: BusContext<typeof GREET>) {
    if (text === 'nobody') throw new Refusal('region.rebase_required', { api_url: 'http://home' }).after(7);
    if (text === 'trouble') throw new Error('choked on hunter2');
    return { text: `${values.region} ${values.language}: ${text} for ${user}` };
  }
}

const moduleOf = (controllers: Type[], providers: NonNullable<DynamicModule['providers']> = []): Type => {
  @Module({ controllers, providers })
  class TestModule {}
  return TestModule;
};

describe('the bus as a Nest transport', () => {
  let nats: TestBus;
  let bus: Bus;
  const running: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    process.env['LOG_LEVEL'] ??= 'silent';
    nats = await TestBus.open();
    bus = await nats.connect();
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.close();
  });
  afterAll(() => nats?.close());

  const start = async (module: Type, parameters: FixedParameters = {}): Promise<RunningService> => {
    const config = serviceConfig(nats);
    const service = await startService({ name: 'tested', config, build: async () => ({ module, parameters }) });
    running.push(service);
    return service;
  };
  const ask = (text: string, on: typeof ECHO | typeof OTHER = ECHO) => bus.request(on, { key: 'k' }, { text });
  const greet = (region: string, text: string) => bus.request(GREET, { region, language: 'sv' }, { text });

  describe('a bus request to a Nest controller', () => {
    it('reaches the controller with message, values and user, for the region given at start', async () => {
      await start(moduleOf([GreetBus]), { region: 'eu' });

      expect(await greet('eu', 'Ana')).toEqual({ text: 'eu sv: Ana for tester' });
      await expect(greet('us', 'Ana')).rejects.toMatchObject({ message: expect.stringContaining('Nobody answers') });
    });

    it('is answered for several regions by one process', async () => {
      await start(moduleOf([GreetBus]), { region: ['eu', 'us'] });

      expect(await greet('eu', 'Ana')).toMatchObject({ text: expect.stringContaining('eu sv') });
      expect(await greet('us', 'Ana')).toMatchObject({ text: expect.stringContaining('us sv') });
    });

    it('is distributed among the replicas of a region that share a queue', async () => {
      const counts = [0, 0];
      const replica = (n: 0 | 1) => {
        @Controller()
        class Counting {
          @Answers(GREET, { queue: 'greet-{region}', fixed: ['region'] })
          greet({ text }: Message) {
            counts[n]! += 1;
            return { text };
          }
        }
        return start(moduleOf([Counting]), { region: 'eu' });
      };
      await replica(0);
      await replica(1);

      await Promise.all(Array.from({ length: 40 }, () => greet('eu', 'Ana')));

      expect(counts[0]! + counts[1]!).toBe(40);
      expect(Math.min(...counts)).toBeGreaterThan(0);
    });

    it('is plain JSON on the wire', async () => {
      await start(moduleOf([GreetBus]), { region: 'eu' });

      const reply = await bus.connection.request('test.greet.eu.sv', '{"text":"Ana"}');

      expect(reply.string()).toBe('{"text":"eu sv: Ana for tester"}');
    });

    it('returns a refusal with all its members, and no details of any other error', async () => {
      await start(moduleOf([GreetBus]), { region: 'eu' });

      await expect(greet('eu', 'nobody')).rejects.toMatchObject({
        key: 'region.rebase_required',
        status: 421,
        extras: { api_url: 'http://home' },
        retryAfter: 7,
      });
      await expect(greet('eu', 7 as never)).rejects.toMatchObject({ key: 'request.invalid', message: expect.stringContaining('text') });
      await expect(greet('eu', 'trouble')).rejects.toMatchObject({
        key: 'service.unavailable',
        message: expect.not.stringContaining('hunter2'),
      });
    });

    it('returns service.unavailable for a refusal in an app without the filter of CoreModule', async () => {
      const served = await nats.connect();
      const strategy = new BusTransport(served, silentLog, { region: 'eu' });
      const app = await NestFactory.createMicroservice<MicroserviceOptions>(moduleOf([GreetBus]), { strategy, logger: false });
      await app.listen();

      await expect(greet('eu', 'nobody')).rejects.toMatchObject({ key: 'service.unavailable' });
      await app.close();
    });

    it('reaches one method for several subjects, which knows the subject of each request', async () => {
      @Controller()
      class Several {
        @Answers([ECHO, OTHER], { queue: 'q' })
        both({ text }: Message, { subject: { pattern }, values }: BusContext<typeof ECHO | typeof OTHER>) {
          return { text: `${pattern} ${values.key} ${text}` };
        }
      }
      await start(moduleOf([Several]));

      expect(await ask('a')).toEqual({ text: 'test.echo.{key} k a' });
      expect(await ask('b', OTHER)).toEqual({ text: 'test.other.{key} k b' });
    });

    it('reaches every handler of its subject, also within one process', async () => {
      @Controller()
      class Two {
        @Answers(ECHO)
        one({ text }: Message) {
          return { text: `${text} one` };
        }

        @Answers(ECHO)
        other({ text }: Message) {
          return { text: `${text} other` };
        }
      }
      await start(moduleOf([Two]));

      const answers = await bus.requestMany(ECHO, { key: 'k' }, { text: 'a' }, { most: 2 });

      expect(answers.map(({ text }) => text).toSorted()).toEqual(['a one', 'a other']);
    });

    it('runs through guards, interceptors and pipes of its method', async () => {
      const seen: string[] = [];
      @Injectable()
      class NotForbidden implements CanActivate {
        canActivate(host: ExecutionContext): boolean {
          const { user, values } = host.switchToRpc().getContext<BusContext<typeof ECHO>>();
          seen.push(`${user} ${values.key}`);
          return host.switchToRpc().getData<Message>().text !== 'forbidden';
        }
      }
      @Injectable()
      class Louder implements NestInterceptor {
        intercept(_host: ExecutionContext, next: CallHandler): Observable<unknown> {
          return next.handle().pipe(map(({ text }: Message) => ({ text: `${text}!` })));
        }
      }
      class Trimmed implements PipeTransform {
        transform = ({ text }: Message) => ({ text: text.trim() });
      }
      class Numbered implements PipeTransform {
        transform({ text }: Message) {
          if (Number.isNaN(Number(text))) throw new BadRequestException();
          return { text };
        }
      }
      @Controller()
      class Guarded {
        @Answers(ECHO)
        @UseGuards(NotForbidden)
        @UseInterceptors(Louder)
        echo(@Payload(Trimmed) { text }: Message, @Ctx() { values }: BusContext<typeof ECHO>) {
          if (text === 'refused') throw new Refusal('request.too_large');
          return { text: `${values.key} ${text}` };
        }

        @Answers(OTHER)
        number(@Payload(Numbered) { text }: Message) {
          return { text };
        }
      }
      await start(moduleOf([Guarded]));

      expect(await ask(' a ')).toEqual({ text: 'k a!' });
      await expect(ask('forbidden')).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
      await expect(ask('refused')).rejects.toMatchObject({ key: 'request.too_large' });
      await expect(ask('x', OTHER)).rejects.toMatchObject({ key: 'request.invalid' });
      expect(seen).toEqual(['tester k', 'tester k', 'tester k']);
    });

    it('runs through global guards and pipes', async () => {
      @Controller()
      class Echo {
        @Answers(ECHO)
        echo({ text }: Message) {
          return { text };
        }
      }
      class Upper implements PipeTransform {
        transform = (value: unknown) => (value instanceof BusContext ? value : { text: (value as Message).text.toUpperCase() });
      }
      class Closed implements CanActivate {
        canActivate = () => false;
      }
      const piped = await start(moduleOf([Echo], [{ provide: APP_PIPE, useClass: Upper }]));
      expect(await ask('a')).toEqual({ text: 'A' });
      await piped.close();
      await start(moduleOf([Echo], [{ provide: APP_GUARD, useClass: Closed }]));
      await expect(ask('a')).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
    });

    it('may be answered by an Observable; its last value is the reply', async () => {
      @Controller()
      class Streaming {
        @Answers(ECHO)
        echo({ text }: Message) {
          return of({ text: 'first' }, { text });
        }
      }
      await start(moduleOf([Streaming]));

      expect(await ask('a')).toEqual({ text: 'a' });
    });
  });

  it('finishes requests in flight before it closes any provider of the module', async () => {
    const order: string[] = [];
    @Injectable()
    class Store implements OnModuleDestroy {
      onModuleDestroy() {
        order.push('store closed');
      }
    }
    @Controller()
    class Slow {
      constructor(readonly store: Store) {}

      @Answers(ECHO)
      async slow({ text }: Message) {
        await pause(300);
        order.push('answered');
        return { text };
      }
    }
    const service = await start(moduleOf([Slow], [Store]));
    const pending = ask('a');
    await pause(100);

    await service.close();

    expect(order).toEqual(['answered', 'store closed']);
    expect(await pending).toEqual({ text: 'a' });
  });

  describe('the bus transport at start', () => {
    it('refuses a subject parameter without a value', async () => {
      await expect(start(moduleOf([GreetBus]))).rejects.toThrow('No value for {region}');
    });

    it('refuses a message pattern of Nest itself', async () => {
      @Controller()
      class Foreign {
        @MessagePattern('foreign')
        foreign() {}
      }

      await expect(start(moduleOf([Foreign]))).rejects.toThrow('bound without @Answers or @Consumes');
    });

    it('refuses a request handler in a provider, because Nest does not find it there', async () => {
      @Injectable()
      class Hidden {
        @Answers(ECHO)
        echo({ text }: Message) {
          return { text };
        }
      }

      await expect(start(moduleOf([], [Hidden]))).rejects.toThrow('Hidden.echo is bound to the bus in a provider');
    });

    it('refuses a request-scoped controller', async () => {
      @Injectable({ scope: Scope.REQUEST })
      class PerRequest {}
      @Controller()
      class Scoped {
        constructor(readonly injected: PerRequest) {}

        @Answers(ECHO)
        echo({ text }: Message) {
          return { text };
        }
      }

      await expect(start(moduleOf([Scoped], [PerRequest]))).rejects.toThrow('Scoped, or something it injects, is request-scoped');
    });

    it('refuses a request handler that decorates only some of its parameters', () => {
      expect(() => {
        class Half {
          @Answers(ECHO)
          half(@Payload() { text }: Message, { values }: BusContext<typeof ECHO>) {
            return { text: text + values.key };
          }
        }
        return Half;
      }).toThrow('decorate every parameter');
    });
  });
});
