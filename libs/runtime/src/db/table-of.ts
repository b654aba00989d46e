import { getMetadataArgsStorage } from 'typeorm';
import type { Entity } from './database.ts';

/** Returns the name of an entity's table as statements write it: with its schema, unless that is the usual one. */
export function tableOf(entity: Entity): string {
  const { schema, name } = getMetadataArgsStorage().tables.find(({ target }) => target === entity)!;
  return schema === undefined ? name! : `${schema}.${name}`;
}
