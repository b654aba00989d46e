import { Inject, Injectable } from '@nestjs/common';
import type { Endpoint } from '@codase/contracts';
import type { ArrivingBody, BodySink, BodySinks } from '@codase/runtime/http';
import { hook } from '../../kit/hooks.ts';

/** Takes the long strings in the bodies of some routes while they arrive. */
export interface StreamedBody extends BodySinks {
  /** The contracts of these routes, all of which say `streams`. */
  readonly takes: readonly Endpoint[];
}
export const STREAMED_BODIES = hook<StreamedBody>('long strings of bodies');

/** Passes each long string to the capability whose route it is. */
@Injectable()
export class StreamedBodies implements BodySinks {
  constructor(@Inject(STREAMED_BODIES) private readonly takers: readonly StreamedBody[]) {}

  open(contract: Endpoint, caller: unknown, arriving: ArrivingBody): BodySink {
    const taker = this.takers.find(({ takes }) => takes.includes(contract));
    if (!taker) throw new Error(`nobody takes the long string of ${contract.method} ${contract.path}`);
    return taker.open(contract, caller, arriving);
  }
}
