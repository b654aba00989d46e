import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The newest signed head of a log of another base. The database lets it only grow. */
@Entity({ schema: 'audit', name: 'log_mirror' })
export class LogMirrorEntity {
  @PrimaryColumn('text') base!: string;
  @PrimaryColumn('integer') log!: number;
  @Column('bigint') size!: string;
  /** The roots of the complete subtrees, with which a later head is checked by its new leaves alone. */
  @Column('bytea') subtrees!: Buffer;
  @Column('text') note!: string;
  @Column('timestamptz') at!: Date;
}
