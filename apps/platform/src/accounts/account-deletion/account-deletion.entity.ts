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
