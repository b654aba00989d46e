import type { World } from '@codase/testing';
import { CONTRACT } from '../documents/acts-in-hand.ts';

/** Returns the environment of the service whose handlers are killed. With a flow, it plays the company's turns. */
export const handlerSettings = (world: World, databaseUrl: string, flow?: string) => ({
  SOAK_BUS: JSON.stringify(world.internalAddress),
  SOAK_GATEWAY: JSON.stringify(world.gatewayHttp),
  SOAK_DATABASE: databaseUrl,
  SOAK_CONTRACT: CONTRACT.toString('base64'),
  ...(flow !== undefined && { SOAK_FLOW: flow }),
});
