import { Injectable } from '@nestjs/common';
import type { Endpoint, Request } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { RoutingService, type CallOptions } from '../routing/routing.service.ts';
import { longestAnswer, refuseLongFile, refuseLossyDrain } from './bus-limits.ts';

/** Calls the platform for a service that asks over the bus, within what a message of the bus can carry. */
@Injectable()
export class OperationsService {
  constructor(
    private readonly bus: Bus,
    private readonly routing: RoutingService,
  ) {}

  async call(service: string, contract: Endpoint, request: Request<Endpoint>, options: CallOptions): Promise<unknown> {
    const most = this.bus.messageBytes;
    refuseLossyDrain(contract, request, most);
    const answer = await this.routing.call(service, contract, request, { ...options, most: longestAnswer(contract, most) });
    refuseLongFile(contract, answer, most);
    return answer;
  }
}
