import type { Claim } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an app of a company asks for at sign-in. */
@Entity({ name: 'sign_in_app' })
export class SignInAppEntity {
  @PrimaryColumn('text') client_id!: string;
  @Column('text') claims_delivery!: 'encrypted' | 'plaintext';
  @Column('jsonb') claims!: Claim[];
  @Column('text') revision!: string;
}
