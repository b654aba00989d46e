import { Controller } from '@nestjs/common';
import { ENDPOINTS, isDataOperation, operation, type Endpoint, type Request } from '@codase/contracts';
import { Answers, type BusContext } from '@codase/runtime/nest-bus';
import { Bus } from '@codase/runtime/bus';
import { RoutingService } from '../routing/routing.service.ts';
import { longestAnswer, refuseLongFile, refuseLossyDrain } from './bus-limits.ts';

const CONTRACTS = new Map(ENDPOINTS.filter(isDataOperation).map((contract) => [operation(contract), contract]));
type Operation = ReturnType<typeof operation>;

/** Every data operation of a service as a typed request on the bus, within what a message of the bus can carry. */
@Controller()
export class OperationsBus {
  constructor(
    private readonly bus: Bus,
    private readonly routing: RoutingService,
  ) {}

  @Answers([...CONTRACTS.keys()], { queue: 'gateway' })
  async answer(request: Request<Endpoint>, { subject, values, user, withinMs }: BusContext<Operation>): Promise<unknown> {
    const [contract, most] = [CONTRACTS.get(subject)!, this.bus.messageBytes];
    refuseLossyDrain(contract, request, most);
    const options = { by: user, withinMs, most: longestAnswer(contract, most) };
    const answer = await this.routing.call(values.service, contract, request, options);
    refuseLongFile(contract, answer, most);
    return answer;
  }
}
