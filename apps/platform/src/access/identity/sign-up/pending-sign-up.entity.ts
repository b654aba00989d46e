import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-up that waits for the code that was mailed: the newest of its e-mail address and source. */
@Entity({ name: 'pending_sign_up' })
export class PendingSignUpEntity {
  @PrimaryColumn('text') sign_up_id!: string;
  @Column('text') email!: string;
  @Column('text') code_hash!: string;
  @Column('text') password_hash!: string;
  @Column('jsonb') wanted!: unknown;
  @Column('integer', { default: 0 }) failures!: number;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
  /** The network address that it came from, as callers are counted by; null in rows of an earlier release. */
  @Column('text', { nullable: true }) source!: string | null;
  /** How many mails sign-ups of this address and source caused since a moment. */
  @Column('integer', { default: 1 }) mails!: number;
  @Column('timestamptz', { default: () => 'now()' }) mails_since!: Date;
  /** The mail with the code, which a newer one replaces if it was not sent yet. */
  @Column('text', { nullable: true }) mail_id!: string | null;
}

/** The profile of a new account, until its home region has it. */
@Entity({ name: 'profile_to_hand_over' })
export class ProfileToHandOverEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('jsonb') profile!: unknown;
  @Column('timestamptz') created_at!: Date;
}
