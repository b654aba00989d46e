import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A phone, bound to the session that registered it. */
@Entity({ name: 'phone' })
export class PhoneEntity {
  @PrimaryColumn('text') device_id!: string;
  @Column('text') user_id!: string;
  @Column('text', { unique: true }) session_id!: string;
  @Column('text') name!: string;
  @Column('timestamptz') created_at!: Date;
}
