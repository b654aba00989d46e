import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProviderRow } from './provider-rows.ts';

/** A provider that verifies values of profiles, as regions know it. */
@Entity({ name: 'verification_provider' })
export class VerificationProviderEntity {
  @PrimaryColumn('text') provider_id!: string;
  @Column('jsonb') row!: ProviderRow;
}
