import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** An act that the audit log keeps. The table has a partition for each month. */
@Entity({ schema: 'audit', name: 'entry' })
export class AuditEntryEntity {
  @PrimaryColumn('integer', { default: () => 'audit.current_epoch()' }) epoch!: number;
  @PrimaryColumn('bigint', { default: () => '((pg_current_xact_id())::text)::bigint' }) txid!: string;
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) seq!: string;
  @PrimaryColumn('timestamptz') at!: Date;
  @Column('text') act!: string;
  @Column('text') outcome!: string;
  @Column('text', { nullable: true }) initiator!: string | null;
  @Column('text', { nullable: true }) client_id!: string | null;
  @Column('text', { nullable: true }) address!: string | null;
  @Column('text', { nullable: true }) account_id!: string | null;
  @Column('text', { nullable: true }) object!: string | null;
  @Column('jsonb', { default: {} }) details!: unknown;
  /** When the row was written, by the clock of the database. The app cannot set it, as it can `at`. */
  @Column('timestamptz', { default: () => 'now()' }) written_at!: Date;
  /** What makes the leaf of the row in the transparency log unguessable. */
  @Column('uuid', { nullable: true, default: () => 'gen_random_uuid()' }) salt!: string | null;
}
