import { Controller } from '@nestjs/common';
import { plugins as contracts, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { PluginForwarder } from './plugin-forwarder.service.ts';

/** The endpoints of the forwarder, by which callers reach plugins. @spec D2-4.5 */
@Controller()
export class ForwarderHttp {
  constructor(private readonly forwarding: PluginForwarder) {}

  @Serves(contracts.callPlugin)
  call({ body }: Input<typeof contracts.callPlugin>) {
    return this.forwarding.call(body);
  }

  @Serves(contracts.refreshPlugin)
  refresh({ body }: Input<typeof contracts.refreshPlugin>) {
    return this.forwarding.refresh(body.pass);
  }
}
