import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A flow with its draft. */
@Entity({ name: 'flow' })
export class FlowEntity {
  @PrimaryColumn('text') flow_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') name!: string;
  @Column('text') draft!: string;
  /** The number of changes of the draft. */
  @Column('integer', { default: 1 }) draft_version!: number;
  @Column('text', { array: true, default: [] }) draft_plugins!: string[];
  /** The version to which new runs are pinned; null before the first publication. */
  @Column('integer', { nullable: true }) published_version!: number | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}
