import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The code that lets an account recover its key. */
@Entity({ name: 'recovery_code' })
export class RecoveryCodeEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('text', { nullable: true }) code_hash!: string | null;
  @Column('integer', { default: 0 }) failures!: number;
  @Column('boolean', { default: false }) is_used!: boolean;
  @Column('text') mail_id!: string;
  @Column('integer') mails!: number;
  @Column('timestamptz') mails_since!: Date;
  @Column('timestamptz') expires_at!: Date;
}
