import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account that was deleted, so that a late message does not bring it back. */
@Entity({ name: 'deleted_account' })
export class DeletedAccountEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('timestamptz') deleted_at!: Date;
}
