import { Controller } from '@nestjs/common';
import { connections as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { FlowLinks } from './flow-links.service.ts';

/** Serves files that customers have linked to fields of flows. @spec D2-4.2 */
@Controller()
export class FlowLinksHttp {
  constructor(private readonly links: FlowLinks) {}

  @Serves(contracts.readLinkedFile)
  read({ params }: Input<typeof contracts.readLinkedFile>, caller: Caller<typeof contracts.readLinkedFile>) {
    return this.links.read(caller, params);
  }
}
