import { Column, Entity, PrimaryColumn } from 'typeorm';

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
