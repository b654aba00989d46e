import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A certificate that seals of this region were made with. */
@Entity({ name: 'seal_certificate' })
export class SealCertificateEntity {
  /** The fingerprint of the certificate. */
  @PrimaryColumn('text') certificate_id!: string;
  @Column('text') certificate_pem!: string;
  @Column('json') chain_pem!: readonly string[];
  /** The encrypted private key of the certificate that the region made and seals with; null for an operator's and for older ones. */
  @Column('text', { nullable: true }) sealed_key!: string | null;
  @Column('timestamptz') created_at!: Date;
}

/** A certificate of a region, as the front door knows it. */
@Entity({ name: 'known_seal_certificate' })
export class KnownSealCertificateEntity {
  /** The fingerprint of the certificate. */
  @PrimaryColumn('text') certificate_id!: string;
  @Column('text') certificate_pem!: string;
  @Column('text') region!: string;
  @Column('timestamptz') created_at!: Date;
}
