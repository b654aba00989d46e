import type { Database, World } from '@codase/testing';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

/** Opens the front door's database as its owner, for states that no call can bring about. */
export const frontDoorDatabase = (world: World): Promise<Database> =>
  world.opensDatabase('front_door', { role: 'owner', entities: FRONT_DOOR_ENTITIES });
