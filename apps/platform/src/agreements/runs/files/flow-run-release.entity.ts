import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file whose content in another region is to be deleted. */
@Entity({ name: 'flow_run_release' })
export class FlowRunReleaseEntity {
  @PrimaryColumn('text') file_id!: string;
  @Column('text') user_id!: string;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { default: '-infinity' }) next_at!: Date;
  @Column('timestamptz', { default: () => 'now()' }) created_at!: Date;
}
