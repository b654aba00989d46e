import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The second factor of an account. */
@Entity({ name: 'second_factor' })
export class SecondFactorEntity {
  @PrimaryColumn('text') user_id!: string;
  /** Another one for each authenticator that an account sets up. */
  @Column('text', { unique: true }) factor_id!: string;
  @Column('text') sealed_secrets!: string;
  /** Null while a new authenticator waits for its first code. */
  @Column('timestamptz', { nullable: true }) enabled_at!: Date | null;
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  @Column('bigint', { default: 0 }) last_step!: string;
}
