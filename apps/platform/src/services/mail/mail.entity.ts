import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A mail of a service that waits to be sent. */
@Entity({ name: 'mail' })
export class MailEntity {
  @PrimaryColumn('text') mail_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text', { nullable: true }) webhook_id!: string | null;
  @Column('text') kind!: string;
  @Column('jsonb') facts!: unknown;
  @Column('timestamptz') created_at!: Date;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
  @Column('timestamptz', { default: '-infinity' }) held_until!: Date;
}
