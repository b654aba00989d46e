import type { Claim } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in with an app, from the password until the app exchanges the code. */
@Entity({ name: 'app_sign_in' })
export class AppSignInEntity {
  @PrimaryColumn('text') session_id!: string;
  @Column('text', { unique: true }) code_hash!: string;
  @Column('text') redirect_uri!: string;
  @Column('text', { nullable: true }) state!: string | null;
  @Column('text', { nullable: true }) nonce!: string | null;
  @Column('jsonb') claims!: Claim[];
  @Column('text') claims_delivery!: 'encrypted' | 'plaintext';
  /** Two digits that the page in the browser and the phone both show. */
  @Column('text') digits!: string;
  @Column('text') status!: 'waiting' | 'approved' | 'denied' | 'pushed_out' | 'done';
  @Column('text') seal_key!: string;
  @Column('text') sealed_private_key!: string;
  @Column('text', { nullable: true }) sealed_values!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}

/** The name that the apps of a company know a person by. */
@Entity({ name: 'app_subject' })
export class AppSubjectEntity {
  @PrimaryColumn('text') company_user_id!: string;
  @PrimaryColumn('text') user_id!: string;
  @Column('text', { unique: true }) subject!: string;
}

/** What an app of a company asks for at sign-in. */
@Entity({ name: 'sign_in_app' })
export class SignInAppEntity {
  @PrimaryColumn('text') client_id!: string;
  @Column('text') claims_delivery!: 'encrypted' | 'plaintext';
  @Column('jsonb') claims!: Claim[];
  @Column('text') revision!: string;
}

/** A plugin of a company that an app uses for a claim. */
@Entity({ name: 'claim_plugin' })
export class ClaimPluginEntity {
  @PrimaryColumn('text') claim_plugin_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') app_id!: string;
  @Column('text') revision!: string;
  @Column('text') plugin_id!: string;
  @Column('text') app_name!: string;
  @Column('text') label!: string;
  @Column('timestamptz') noted_at!: Date;
  @Column('timestamptz', { nullable: true }) check_at!: Date | null;
}
