import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A certificate of a region, as the front door knows it. */
@Entity({ name: 'known_seal_certificate' })
export class KnownSealCertificateEntity {
  /** The fingerprint of the certificate. */
  @PrimaryColumn('text') certificate_id!: string;
  @Column('text') certificate_pem!: string;
  @Column('text') region!: string;
  @Column('timestamptz') created_at!: Date;
}
