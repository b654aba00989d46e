import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ENDPOINTS, operation, type Endpoint, type Request } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { RoutingService } from '../routing/routing.service.ts';

/** Every data operation of the platform as a typed request on the bus, derived from its contract. */
@Injectable()
export class OperationsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly open: { drain(): Promise<void> }[] = [];

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(RoutingService) private readonly routing: RoutingService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const contract of ENDPOINTS.filter(isDataOperation)) {
      const answer = (request: unknown, { service }: { service: string }) => this.routing.call(service, contract, request as Request<Endpoint>);
      this.open.push(await this.bus.answer(operation(contract), {}, answer, { queue: 'gateway' }));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.open.map((subscription) => subscription.drain()));
  }
}

const isDataOperation = ({ callers, at }: Endpoint) => callers.includes('service') && at.includes('region');
