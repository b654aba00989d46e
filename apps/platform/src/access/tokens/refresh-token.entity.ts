import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A refresh token, by its hash. */
@Entity({ name: 'refresh_token' })
export class RefreshTokenEntity {
  @PrimaryColumn('text') token_hash!: string;
  @Column('text') session_id!: string;
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { nullable: true }) used_at!: Date | null;
  @Column('text', { nullable: true }) successor_hash!: string | null;
  @Column('text', { nullable: true }) successor_salt!: string | null;
}
