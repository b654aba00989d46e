import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A leaf of the transparency log: the hash of an entry of the audit, and the position of that entry. The database numbers leaves. */
@Entity({ schema: 'audit', name: 'log_leaf' })
export class LogLeafEntity {
  @PrimaryColumn('integer') log!: number;
  @PrimaryColumn('bigint') number!: string;
  @Column('bytea') hash!: Buffer;
  @Column('integer') epoch!: number;
  @Column('bigint') txid!: string;
  @Column('bigint') seq!: string;
  /** The roots of the complete subtrees up to this leaf, at the last leaf of each statement that added some. */
  @Column('bytea', { nullable: true }) subtrees!: Buffer | null;
}
