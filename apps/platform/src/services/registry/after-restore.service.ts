import { isDeepStrictEqual } from 'node:util';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { FIELD_TYPES } from './field-type-rows.ts';
import { FieldTypesStore } from './field-types.store.ts';

/** Puts the published field types that the database lacks. No type is ever deleted, so each that was published later is right. */
export async function putFieldTypesAgain({ tx, report, published, record }: RestoredFrontDoor): Promise<void> {
  if (!report.was_older) return;
  const types = new FieldTypesStore(tx);
  const stored = new Map((await types.all()).map((row) => [row.type, row]));
  for (const row of await published(FIELD_TYPES)) {
    if (isDeepStrictEqual(row, stored.get(row.type))) continue;
    await types.put(row, tx);
    await record({ act: 'field_type.put', object: row.type });
    report.field_types_put.push(row.type);
  }
}
