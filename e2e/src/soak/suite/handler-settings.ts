import type { World } from '@cds/testing';
import { CONTRACT } from '../documents/sign-contract.ts';

/** The environment of the service whose handlers soaks kill (handler.main.ts); with a flow, they play the company's turns of it. */
export const handlerSettings = (world: World, databaseUrl: string, flow?: string) => ({
  SOAK_BUS: JSON.stringify(world.internalAddress),
  SOAK_GATEWAY: JSON.stringify(world.gatewayHttp),
  SOAK_DATABASE: databaseUrl,
  SOAK_CONTRACT: CONTRACT.toString('base64'),
  ...(flow !== undefined && { SOAK_FLOW: flow }),
});
