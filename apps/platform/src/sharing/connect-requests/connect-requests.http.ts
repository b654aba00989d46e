import { Controller } from '@nestjs/common';
import { connectRequests as phone, connections as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { ConnectRequestSender } from './connect-request-sender.service.ts';
import { Invitations } from './invitations.service.ts';

type Person = Caller<typeof phone.listConnectRequests>;

/** Lets a service ask persons to connect, and serves the phones of these persons. @spec D1-4.2 @spec D1-6.1 @gap D1-1 */
@Controller()
export class ConnectRequestsHttp {
  constructor(
    private readonly asking: ConnectRequestSender,
    private readonly invitations: Invitations,
  ) {}

  @Serves(contracts.requestConnection)
  ask({ body }: Input<typeof contracts.requestConnection>, caller: Caller<typeof contracts.requestConnection>) {
    return this.asking.ask(caller, body);
  }

  @Serves(phone.listConnectRequests)
  async list(_: Input<typeof phone.listConnectRequests>, { person_user_id }: Person) {
    return { items: await this.invitations.list(person_user_id), next_cursor: null };
  }

  @Serves(phone.acceptConnectRequest)
  accept({ params, body }: Input<typeof phone.acceptConnectRequest>, { person_user_id }: Person) {
    return this.invitations.accept(person_user_id, params.requestId, body.values);
  }

  @Serves(phone.rejectConnectRequest)
  reject({ params }: Input<typeof phone.rejectConnectRequest>, { person_user_id }: Person) {
    return this.invitations.reject(person_user_id, params.requestId);
  }
}
