import { Column, Entity, PrimaryColumn } from 'typeorm';

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
