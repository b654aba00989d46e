import { Inject, Injectable } from '@nestjs/common';
import type { Subject, Values } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { z } from 'zod';
import { HERE, type Here } from './bases.ts';

type RequestSubject<N extends string> = `codase.front-door.v1.{region}.${N}`;

/** Sends requests of a region to the front door, in the name of that region: its bus user may publish under no other name. */
@Injectable()
export class FrontDoorRequests {
  constructor(
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
  ) {}

  request<N extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<RequestSubject<N>, M, R>,
    values: Omit<Values<RequestSubject<N>>, 'region'>,
    message: z.input<M>,
  ): Promise<z.output<R>> {
    if (this.here.base !== 'region') throw new Error('only a region asks the front door');
    return this.bus.request(subject, { ...values, region: this.here.region } as Values<RequestSubject<N>>, message);
  }
}
