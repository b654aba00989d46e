import type { RunStatus } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A run as the company's region stores it. Its definition, parties and answers are in other tables. @spec D2-2.2 */
@Entity({ name: 'flow_run' })
@Unique(['service_id', 'repeat_hash'])
export class FlowRunEntity {
  @PrimaryColumn('text') run_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') flow_id!: string;
  @Column('integer') flow_version!: number;
  /** The definition, which all runs of one version share. */
  @Column('text') definition_id!: string;
  @Column('text') status!: RunStatus;
  /** Null when the run is over. */
  @Column('text', { nullable: true }) current_node!: string | null;
  /** The party that answered last. At a document leaf this party generates the documents. @spec D2-1 */
  @Column('text', { nullable: true }) last_party!: string | null;
  @Column('text') reference_date!: string;
  @Column('text', { array: true, default: [] }) private_slugs!: string[];
  @Column('json', { nullable: true }) owner_tag_values!: Record<string, { v: string; t: string }> | null;
  @Column('bytea', { nullable: true }) repeat_hash!: Buffer | null;
  @Column('timestamptz') created_at!: Date;
  /** When answers, files and tag values were deleted. @spec D2-8 */
  @Column('timestamptz', { nullable: true }) data_removed_at!: Date | null;
}
