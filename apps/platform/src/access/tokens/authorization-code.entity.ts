import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authorization code, by its hash. */
@Entity({ name: 'authorization_code' })
export class AuthorizationCodeEntity {
  @PrimaryColumn('text') code_hash!: string;
  @Column('text') session_id!: string;
  @Column('text') redirect_uri!: string;
  @Column('text') code_challenge!: string;
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { nullable: true }) used_at!: Date | null;
}
