import { openDatabase } from '@codase/runtime/db';
import type { World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

/** Opens the front door's database as its owner, for states that no call can bring about. */
export const frontDoorDatabase = (world: World): Promise<DataSource> =>
  openDatabase({ url: world['planes'].databases.front_door.owner, name: 'test', pool: 1, entities: FRONT_DOOR_ENTITIES });
