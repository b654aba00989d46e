import { Controller } from '@nestjs/common';
import { ENDPOINTS, isDataOperation, operation, type Endpoint, type Request } from '@codase/contracts';
import { Answers, type BusContext } from '@codase/runtime/nest-bus';
import { OperationsService } from './operations.service.ts';

const CONTRACTS = new Map(ENDPOINTS.filter(isDataOperation).map((contract) => [operation(contract), contract]));
type Operation = ReturnType<typeof operation>;

/** Every data operation of a service as a typed request on the bus, derived from its contract. */
@Controller()
export class OperationsBus {
  constructor(private readonly operations: OperationsService) {}

  @Answers([...CONTRACTS.keys()], { queue: 'gateway' })
  answer(request: Request<Endpoint>, { subject, values, user, withinMs }: BusContext<Operation>): Promise<unknown> {
    return this.operations.call(values.service, CONTRACTS.get(subject)!, request, { by: user, withinMs });
  }
}
