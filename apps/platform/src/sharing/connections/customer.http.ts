import { Controller } from '@nestjs/common';
import { customer as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { readCursor } from '../../kit/paging.ts';
import { Customers } from './customers.service.ts';

type AsCustomer = Caller<typeof contracts.connect>;

/** The calls of a customer: a person, or a company that is a customer of another. @spec D1-5.8 */
@Controller()
export class CustomerHttp {
  constructor(private readonly customers: Customers) {}

  @Serves(contracts.readServiceCard)
  readCard({ params }: Input<typeof contracts.readServiceCard>, caller: AsCustomer) {
    return this.customers.card(userOf(caller), params.companyCode, params.serviceCode);
  }

  @Serves(contracts.issueRequestPluginPass)
  pluginPass({ params }: Input<typeof contracts.issueRequestPluginPass>, caller: AsCustomer) {
    return this.customers.pluginPass(userOf(caller), params.companyCode, params.serviceCode);
  }

  @Serves(contracts.connect)
  connect({ body }: Input<typeof contracts.connect>, caller: AsCustomer) {
    return this.customers.connect(userOf(caller), body.code, body.values);
  }

  @Serves(contracts.listCustomerConnections)
  list({ query: { limit, cursor } }: Input<typeof contracts.listCustomerConnections>, caller: AsCustomer) {
    return this.customers.list(userOf(caller), { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.readCustomerConnection)
  read({ params }: Input<typeof contracts.readCustomerConnection>, caller: AsCustomer) {
    return this.customers.read(userOf(caller), params.connectionId);
  }

  @Serves(contracts.changeCustomerConnection)
  change({ params, body }: Input<typeof contracts.changeCustomerConnection>, caller: AsCustomer) {
    return this.customers.change(userOf(caller), params.connectionId, body);
  }

  @Serves(contracts.disconnect)
  disconnect({ params }: Input<typeof contracts.disconnect>, caller: AsCustomer) {
    return this.customers.disconnect(userOf(caller), params.connectionId);
  }
}
