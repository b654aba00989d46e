import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in of a user with a client. */
@Entity({ name: 'session' })
export class SessionEntity {
  @PrimaryColumn('text') session_id!: string;
  @Column('text') client_id!: string;
  @Column('text') user_id!: string;
  @Column('integer') epoch!: number;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
  @Column('timestamptz', { nullable: true }) last_used_at!: Date | null;
  /** The thumbprint of the key of a device that the session is bound to. */
  @Column('text', { nullable: true }) jkt!: string | null;
}

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
