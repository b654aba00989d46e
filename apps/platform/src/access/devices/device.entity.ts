import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { DeviceKey } from '@codase/contracts';

/** A device of a person, by the key that its sessions are bound to. */
@Entity({ name: 'device' })
@Unique(['user_id', 'jkt'])
export class DeviceEntity {
  @PrimaryColumn('text') device_id!: string;
  @Column('text') user_id!: string;
  @Column('text') jkt!: string;
  @Column('jsonb') public_jwk!: DeviceKey;
  @Column('text') name!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') last_used_at!: Date;
  /** A removed key stays, so that it is never registered again. */
  @Column('timestamptz', { nullable: true }) removed_at!: Date | null;
}
