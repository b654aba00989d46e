import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A public key that the transparency log commits to. Triggers list it; the row goes with its owner. */
@Entity({ schema: 'audit', name: 'logged_key' })
export class LoggedKeyEntity {
  @PrimaryColumn('text') kind!: string;
  /** The owner as readers of the key know it: a share code, the id of a service or a user, a region. */
  @PrimaryColumn('text') owner!: string;
  @PrimaryColumn('text') key_sha256!: string;
  /** What makes the commitment to the key unguessable. */
  @Column('uuid', { default: () => 'gen_random_uuid()' }) salt!: string;
  /** When the audit got the entry with the commitment; null before. */
  @Column('timestamptz', { nullable: true }) at!: Date | null;
  @Column('uuid', { nullable: true }) entry_salt!: string | null;
  /** The position of that entry in the audit. */
  @Column('integer', { nullable: true }) epoch!: number | null;
  @Column('bigint', { nullable: true }) txid!: string | null;
  @Column('bigint', { nullable: true }) seq!: string | null;
  /** The log and the number of the leaf of that entry; null until it has one. */
  @Column('integer', { nullable: true }) log!: number | null;
  @Column('bigint', { nullable: true }) leaf!: string | null;
}
