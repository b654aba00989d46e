import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A mail of an account that waits to be sent. */
@Entity({ name: 'account_mail' })
export class AccountMailEntity {
  @PrimaryColumn('text') mail_id!: string;
  @Column('text') recipient!: string;
  @Column('text') kind!: string;
  @Column('jsonb') facts!: unknown;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
  @Column('timestamptz', { default: '-infinity' }) held_until!: Date;
}
