import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file of a run: one party's copy of an answer, or of a source. Its content is a wrapper, which is stored apart. */
@Entity({ name: 'flow_run_file' })
export class FlowRunFileEntity {
  @PrimaryColumn('text') file_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') flow_id!: string;
  /** Null for a source whose run has not started. */
  @Column('text', { nullable: true }) run_id!: string | null;
  /** Of a source: the customer whose file it is. */
  @Column('text', { nullable: true }) source_user_id!: string | null;
  @Column('text', { nullable: true }) source_key!: string | null;
  /** The slug of the answer; null for a source. */
  @Column('text', { nullable: true }) slug!: string | null;
  @Column('text', { nullable: true }) for_user_id!: string | null;
  @Column('boolean', { default: false }) taken!: boolean;
  @Column('timestamptz') created_at!: Date;
}
