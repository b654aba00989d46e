import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An object of the region's store. */
@Entity({ name: 'stored_object' })
export class StoredObjectEntity {
  @PrimaryColumn('text') object_key!: string;
  @Column('text', { nullable: true }) company_user_id!: string | null;
  @Column('text', { nullable: true }) owner_id!: string | null;
  @Column('text') state!: string;
  @Column('timestamptz', { default: () => 'now()' }) changed_at!: Date;
  @Column('bytea', { nullable: true }) sealing_key!: Buffer | null;
  @Column('bigint', { nullable: true }) bytes!: string | null;
  @Column('timestamptz', { nullable: true }) missing_since!: Date | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { default: () => 'now()' }) retry_at!: Date;
  /** The kind of the row. */
  @Column('text', { default: 'shared_value' }) owner_kind!: string;
}

/** The region's object store: one row. */
@Entity({ name: 'object_store' })
export class ObjectStoreEntity {
  @PrimaryColumn('boolean', { default: true }) is_only!: boolean;
  @Column('uuid', { default: () => 'gen_random_uuid()' }) store_id!: string;
  @Column('text', { default: '' }) sweep_cursor!: string;
  @Column('timestamptz', { default: '-infinity' }) swept_at!: Date;
  @Column('timestamptz', { default: '-infinity' }) leased_until!: Date;
}
