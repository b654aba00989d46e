import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Bus } from '../bus/index.ts';
import { BusHandlers } from './bus-handlers.ts';
import { CLOCK, type Clock } from '../clock/index.ts';
import { LOG, type Log } from '../telemetry/index.ts';

/** What every part of a service stands on: its clock, its log, its bus, and the values its build gave. */
@Global()
@Module({})
export class Ground {
  static of({ bus, clock, log }: { bus: Bus; clock: Clock; log: Log }, given: readonly Provider[]): DynamicModule {
    const values: Provider[] = [
      { provide: Bus, useValue: bus },
      { provide: CLOCK, useValue: clock },
      { provide: LOG, useValue: log },
      ...given,
    ];
    return { module: Ground, imports: [DiscoveryModule], providers: [...values, BusHandlers], exports: values };
  }
}
