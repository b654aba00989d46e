import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A proof that was used, by the hash of its key and its `jti`, for as long as it could be used again. */
@Entity({ name: 'used_proof' })
export class UsedProofEntity {
  @PrimaryColumn('text') proof_hash!: string;
  @Column('timestamptz') expires_at!: Date;
}
