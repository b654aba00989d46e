import { Injectable } from '@nestjs/common';
import type { Endpoint } from '@codase/contracts';
import { openToAnyone, type Call, type Gatekeeper } from '@codase/runtime/http';
import { RateLimits } from './limits/rate-limits.service.ts';

/** The gatekeeper of a base that takes no tokens: its routes are open to anyone, with a rate limit for each address. @gap D1-8 */
@Injectable()
export class AddressGatekeeper implements Gatekeeper {
  constructor(private readonly limits: RateLimits) {}

  admit(contract: Endpoint, call: Call): unknown {
    const charged = contract.limit && this.limits.charge(contract.limit, { address: call.address, client_id: undefined });
    return charged ? charged.then(() => openToAnyone.admit(contract, call)) : openToAnyone.admit(contract, call);
  }

  pointElsewhere(contract: Endpoint, call: Call): Promise<never> {
    return openToAnyone.pointElsewhere(contract, call);
  }

  turnAway(path: string, call: Call): Promise<never> {
    return openToAnyone.turnAway(path, call);
  }
}
