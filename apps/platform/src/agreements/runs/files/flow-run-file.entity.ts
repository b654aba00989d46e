import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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

/** The content of a run's file, in the home region of its owner. */
@Entity({ name: 'flow_run_content' })
export class FlowRunContentEntity {
  @PrimaryColumn('text') file_id!: string;
  @Column('text') owner_user_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text', { nullable: true }) served_sha256!: string | null;
  @Column('bytea', { nullable: true }) piece_key!: Buffer | null;
  @Column('boolean', { default: false }) taken!: boolean;
  @Column('timestamptz', { nullable: true }) ask_at!: Date | null;
  @Column('timestamptz') created_at!: Date;
}

/** A piece of the content of a run's file. */
@Entity({ name: 'flow_run_piece' })
@Unique(['file_id', 'position'])
export class FlowRunPieceEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') owner_user_id!: string;
  @Column('text') file_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
  @Column('text', { nullable: true }) encoding!: string | null;
}

/** A file whose content in another region is to be deleted. */
@Entity({ name: 'flow_run_release' })
export class FlowRunReleaseEntity {
  @PrimaryColumn('text') file_id!: string;
  @Column('text') user_id!: string;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { default: '-infinity' }) next_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}
