import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { Bus } from '../bus/index.ts';
import { CLOCK } from '../clock/index.ts';
import { BusExceptionFilter } from '../nest-bus/index.ts';
import { LOG } from '../telemetry/index.ts';
import { DRAIN, SHUTDOWN, type ServiceContext } from './service-context.ts';

/** The module that every service has: its context, the providers that its build added, and the filter that keeps refusals whole. */
@Global()
@Module({})
export class CoreModule {
  static with({ bus, clock, log, drain, shutdown }: ServiceContext, providers: readonly Provider[]): DynamicModule {
    const shared: Provider[] = [
      { provide: Bus, useValue: bus },
      { provide: CLOCK, useValue: clock },
      { provide: LOG, useValue: log },
      { provide: DRAIN, useValue: drain },
      { provide: SHUTDOWN, useValue: shutdown },
      ...providers,
    ];
    const filter = { provide: APP_FILTER, useClass: BusExceptionFilter };
    return { module: CoreModule, imports: [DiscoveryModule], providers: [...shared, filter], exports: shared };
  }
}
