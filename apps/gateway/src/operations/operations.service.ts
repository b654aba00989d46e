import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ENDPOINTS, operation, type Endpoint, type Request } from '@cds/contracts';
import { Bus, type Asked } from '@cds/runtime/bus';
import { RoutingService } from '../routing/routing.service.ts';
import { refuseLongFile, refuseLossyDrain } from './fits.ts';

/** Every data operation of a service as a typed request on the bus, derived from its contract. */
@Injectable()
export class OperationsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly open: { drain(): Promise<void> }[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly routing: RoutingService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const contract of ENDPOINTS.filter(isDataOperation)) {
      const answer = (request: unknown, { service }: { service: string }, asked: Asked) =>
        this.ask(service, contract, request as Request<Endpoint>, asked);
      this.open.push(await this.bus.answer(operation(contract), {}, answer, { queue: 'gateway' }));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.open.map((subscription) => subscription.drain()));
  }

  private async ask(service: string, contract: Endpoint, request: Request<Endpoint>, asked: Asked): Promise<unknown> {
    const most = this.bus.connection.info?.max_payload ?? Infinity;
    refuseLossyDrain(contract, request, most);
    const answer = await this.routing.call(service, contract, request, asked);
    refuseLongFile(contract, answer, most);
    return answer;
  }
}

const isDataOperation = ({ callers, at }: Endpoint) => callers.includes('service') && at.includes('region');
