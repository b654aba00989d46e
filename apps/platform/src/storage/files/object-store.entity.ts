import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The region's object store: one row. */
@Entity({ name: 'object_store' })
export class ObjectStoreEntity {
  @PrimaryColumn('boolean', { default: true }) is_only!: boolean;
  @Column('uuid', { default: () => 'gen_random_uuid()' }) store_id!: string;
  @Column('text', { default: '' }) sweep_cursor!: string;
  @Column('timestamptz', { default: '-infinity' }) swept_at!: Date;
  @Column('timestamptz', { default: '-infinity' }) leased_until!: Date;
}
