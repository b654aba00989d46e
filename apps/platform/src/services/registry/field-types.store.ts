import { Inject, Injectable } from '@nestjs/common';
import type { FieldTypeRow } from '@codase/contracts';
import { execute, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { FieldTypeEntity } from './field-type.entity.ts';

/** The key of one lock for all changes, so that each row is checked against exactly the rows it will stand beside. */
const LOCK = 0x66747970;

/** The types that the operator added, stored at the front door. */
@Injectable()
export class FieldTypesStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  async all(db: Db = this.db): Promise<FieldTypeRow[]> {
    return (await db.getRepository(FieldTypeEntity).find({ order: { type: 'ASC' } })).map(({ row }) => row);
  }

  async find(type: string, db: Db = this.db): Promise<FieldTypeRow | undefined> {
    return (await db.getRepository(FieldTypeEntity).findOneBy({ type }))?.row;
  }

  async lock(tx: Db): Promise<void> {
    await execute(tx)`select pg_advisory_xact_lock(${LOCK})`;
  }

  async put(row: FieldTypeRow, tx: Db): Promise<void> {
    await tx.getRepository(FieldTypeEntity).upsert({ type: row.type, row }, ['type']);
  }
}
