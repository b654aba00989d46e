import { openDatabase } from '@cds/runtime/db';
import type { World } from '@cds/testing';
import type { DataSource } from 'typeorm';

/** The front door's database as its owner sees it, for what no call can bring about. */
export const frontDoorDatabase = (world: World): Promise<DataSource> =>
  openDatabase({ url: world['planes'].databases.front_door.owner, name: 'test', pool: 1 });
