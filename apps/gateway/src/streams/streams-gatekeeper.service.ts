import { Injectable } from '@nestjs/common';
import { Refusal, type Endpoint } from '@codase/contracts';
import { openToAnyone, type Call, type Gatekeeper } from '@codase/runtime/http';
import { CallerTokens } from './caller-tokens.ts';

/** Only callers that the gateway knows learn which paths it has. */
@Injectable()
export class StreamsGatekeeper implements Gatekeeper {
  constructor(private readonly tokens: CallerTokens) {}

  admit(contract: Endpoint, call: Call): unknown {
    return openToAnyone.admit(contract, call);
  }

  pointElsewhere(contract: Endpoint, call: Call): Promise<never> {
    return openToAnyone.pointElsewhere(contract, call);
  }

  async turnAway(_path: string, { authorization }: Call): Promise<never> {
    this.tokens.callerOf(authorization);
    throw new Refusal('request.not_found').because('Ask for /v1/{client}/{operation} with the method of the operation');
  }
}
