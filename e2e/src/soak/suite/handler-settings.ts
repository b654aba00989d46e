import type { World } from '@cds/testing';
import { CONTRACT } from '../documents/sign-contract.ts';

/** The environment of the service whose handlers soaks kill (handler.main.ts). */
export const handlerSettings = (world: World, databaseUrl: string) => ({
  SOAK_BUS: JSON.stringify(world.internalAddress),
  SOAK_GATEWAY: JSON.stringify(world.gatewayDoor),
  SOAK_DATABASE: databaseUrl,
  SOAK_CONTRACT: CONTRACT.toString('base64'),
});
