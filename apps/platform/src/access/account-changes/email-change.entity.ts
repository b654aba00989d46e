import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A change of an e-mail address that waits for its code. */
@Entity({ name: 'email_change' })
export class EmailChangeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) number!: string;
  @Column('text') user_id!: string;
  @Column('text') email!: string;
  @Column('text', { nullable: true }) code_hash!: string | null;
  @Column('integer', { default: 0 }) failures!: number;
  /** The mail with the code; null in rows of an earlier release whose address got too many. */
  @Column('text', { nullable: true }) mail_id!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}
