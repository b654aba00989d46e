import { Controller } from '@nestjs/common';
import { connections as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { ConnectRequestSender } from './connect-request-sender.service.ts';

/** Lets a service ask persons to connect. @spec D1-4.2 */
@Controller()
export class ConnectRequestsHttp {
  constructor(private readonly asking: ConnectRequestSender) {}

  @Serves(contracts.requestConnection)
  ask({ body }: Input<typeof contracts.requestConnection>, caller: Caller<typeof contracts.requestConnection>) {
    return this.asking.ask(caller, body);
  }
}
