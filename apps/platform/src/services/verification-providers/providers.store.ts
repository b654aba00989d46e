import { Inject, Injectable } from '@nestjs/common';
import { execute, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ProviderRow } from './provider-rows.ts';
import { VerificationProviderEntity } from './verification-provider.entity.ts';

/** The key of one lock for all changes: "veri" in ASCII. */
const LOCK = 0x76657269;

/** The registered providers, stored at the front door. */
@Injectable()
export class ProvidersStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  async all(db: Db = this.db): Promise<ProviderRow[]> {
    return (await db.getRepository(VerificationProviderEntity).find({ order: { provider_id: 'ASC' } })).map(({ row }) => row);
  }

  async find(provider_id: string, db: Db = this.db): Promise<ProviderRow | undefined> {
    return (await db.getRepository(VerificationProviderEntity).findOneBy({ provider_id }))?.row;
  }

  async lock(tx: Db): Promise<void> {
    await execute(tx)`select pg_advisory_xact_lock(${LOCK})`;
  }

  async put(row: ProviderRow, tx: Db): Promise<void> {
    await tx.getRepository(VerificationProviderEntity).upsert({ provider_id: row.provider_id, row }, ['provider_id']);
  }
}
