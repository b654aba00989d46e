import { Refusal } from '@codase/contracts';
import { openToAnyone, type Gatekeeper } from '@codase/runtime/http';
import type { CallerTokens } from './caller-tokens.ts';

/** Only callers that the gateway knows learn which paths it has. */
export const streamsGatekeeper = (tokens: CallerTokens): Gatekeeper => ({
  ...openToAnyone,
  turnAway: async (_path, { authorization }) => {
    tokens.callerOf(authorization);
    throw new Refusal('request.not_found').because('Ask for /v1/{client}/{operation} with the method of the operation');
  },
});
