import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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

/** A version of a flow that was published. It never changes. @spec D2-9 */
@Entity({ name: 'flow_version' })
@Unique(['flow_id', 'version'])
export class FlowVersionEntity {
  @PrimaryColumn('text') flow_version_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') flow_id!: string;
  @Column('integer') version!: number;
  /** The definition, with the descriptions of its plugins at the time of publication. @spec D2-2.6 */
  @Column('text') definition!: string;
  /** The plugins that its elements use, by their ids. */
  @Column('text', { array: true }) plugins!: string[];
  @Column('text') digest!: string;
  @Column('timestamptz') published_at!: Date;
}
