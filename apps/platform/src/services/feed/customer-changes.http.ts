import { Controller } from '@nestjs/common';
import { customerFeed, type Caller, type CustomerEvent, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Drains } from './drains.service.ts';

/** The own feed of a company that is a customer of others. @spec D1-4.6 */
@Controller()
export class CustomerChangesHttp {
  constructor(private readonly drains: Drains) {}

  @Serves(customerFeed.drainCustomerChanges)
  drain(_: Input<typeof customerFeed.drainCustomerChanges>, { company_user_id }: Caller<typeof customerFeed.drainCustomerChanges>) {
    return this.drains.drain<CustomerEvent>({ company_user_id, channel: company_user_id });
  }
}
