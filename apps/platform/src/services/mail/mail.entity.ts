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

/** How many mails were sent on a day about one subject. */
@Entity({ name: 'mail_quota' })
export class MailQuotaEntity {
  @PrimaryColumn('date') day!: string;
  @PrimaryColumn('text') subject!: string;
  @Column('integer') mails!: number;
}

/** An address that has had its digest of the day. */
@Entity({ name: 'mail_digest' })
export class MailDigestEntity {
  @PrimaryColumn('date') day!: string;
  @PrimaryColumn('text') recipient_hash!: string;
}
