import type { DatabaseAddress, Entity, Migration } from '@codase/runtime/db';
import type { DatabaseName } from './layout.ts';

/** The kinds of databases, by the app or role whose tables they have. */
const SCHEMA_KINDS = ['front-door', 'region', 'feed-consumer', 'flows', 'twofa'] as const;
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

export const isSchemaKind = (text: string): text is SchemaKind => SCHEMA_KINDS.some((kind) => kind === text);

export const schemaKindOf = (name: DatabaseName): SchemaKind =>
  name === 'region_eu' || name === 'region_us' ? 'region' : (name.replace('_', '-') as SchemaKind);

/** The schema that this release knows. */
export interface Schema {
  migrations: readonly Migration[];
  entities: readonly Entity[];
  /** Migrates a database, as its owner, and gives the delivery its rights in a region's. Returns the migrations that ran. */
  migrate(owner: DatabaseAddress, deliveryRole?: string): Promise<string[]>;
}

/** Loads a schema on demand, because it imports a whole app. */
export const schemaOf = (kind: SchemaKind): Promise<Schema> => SCHEMAS[kind]();

const SCHEMAS: Record<SchemaKind, () => Promise<Schema>> = {
  'front-door': async () => {
    const { FRONT_DOOR_ENTITIES: entities, FRONT_DOOR_MIGRATIONS: migrations, migrateFrontDoor } = await import('@codase/platform');
    return { migrations, entities, migrate: (owner) => migrateFrontDoor(owner) };
  },
  region: async () => {
    const { REGION_ENTITIES: entities, REGION_MIGRATIONS: migrations, migrateRegion } = await import('@codase/platform');
    return {
      migrations,
      entities,
      migrate: async (owner, deliveryRole) => {
        if (deliveryRole === undefined) throw new Error('the database of a region is migrated for a role of the delivery');
        return migrateRegion({ ...owner, deliveryRole });
      },
    };
  },
  'feed-consumer': async () => {
    const app = await import('@codase/feed-consumer');
    return { migrations: app.FEED_CONSUMER_MIGRATIONS, entities: app.FEED_CONSUMER_ENTITIES, migrate: app.migrateFeedConsumer };
  },
  flows: async () => {
    const app = await import('@codase/flows');
    return { migrations: app.FLOWS_MIGRATIONS, entities: app.FLOWS_ENTITIES, migrate: app.migrateFlows };
  },
  twofa: async () => {
    const app = await import('@codase/twofa');
    return { migrations: app.TWOFA_MIGRATIONS, entities: app.TWOFA_ENTITIES, migrate: app.migrateTwofa };
  },
};
