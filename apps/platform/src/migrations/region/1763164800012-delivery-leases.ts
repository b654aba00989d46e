import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Stores which process delivers for which webhooks in the tables for every kind of lease. The rows stay: a process of the version before
 * cannot renew its leases any more, and they expire before another process takes them.
 */
export class DeliveryLeases1763164800012 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table delivery_shard rename to lease`);
    await db.query(`alter table lease rename shard to name`);
    await db.query(`alter table lease rename lease_until to until`);
    // The epoch grows with every change of owner, so that a late write of a former owner can be refused.
    await db.query(`alter table lease add kind text not null default 'webhooks', add epoch bigint not null default 0`);
    await db.query(`alter table lease alter kind drop default, alter name type text using name::text`);
    await db.query(`alter table lease drop constraint delivery_shard_pkey, add primary key (kind, name)`);
    await db.query(`update lease set owner = 'handed over' where owner is null and until > clock_timestamp()`);

    await db.query(`alter table delivery_process rename to replica`);
    await db.query(`alter table replica rename owner to name`);
    await db.query(`alter table replica rename alive_until to until`);
    await db.query(`alter table replica add kind text not null default 'webhooks'`);
    await db.query(`alter table replica alter kind drop default, drop constraint delivery_process_pkey, add primary key (kind, name)`);
  }
}
