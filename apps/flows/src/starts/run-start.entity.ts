import type { RunStatus } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A start of a run that a service asked for, by its key. */
@Entity({ name: 'run_start' })
export class RunStartEntity {
  @PrimaryColumn('text') service!: string;
  @PrimaryColumn('text') start_key!: string;
  @Column('text') body_digest!: string;
  @Column('timestamptz') requested_at!: Date;
  @Column('text', { nullable: true }) flow_run_id!: string | null;
  @Column('text', { nullable: true }) status!: RunStatus | null;
  @Column('text', { nullable: true }) node!: string | null;
}
