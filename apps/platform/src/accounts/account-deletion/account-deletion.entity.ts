import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A confirmed deletion. The row stays after every region has made it. */
@Entity({ name: 'account_deletion' })
export class AccountDeletionEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('timestamptz') deleted_at!: Date;
  /** Null while every region is left. */
  @Column('text', { array: true, nullable: true }) regions_left!: readonly string[] | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
}

/** The code that confirms the deletion of an account. */
@Entity({ name: 'deletion_code' })
export class DeletionCodeEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('text') code_hash!: string;
  @Column('integer', { default: 0 }) failures!: number;
  @Column('integer') mails!: number;
  @Column('timestamptz') mails_since!: Date;
  @Column('timestamptz') expires_at!: Date;
}
