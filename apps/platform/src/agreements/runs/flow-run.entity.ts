import type { RunStatus, FlowDefinition, Verification } from '@codase/contracts';
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

/** The definition that all runs of one version share. */
@Entity({ name: 'flow_run_definition' })
export class FlowRunDefinitionEntity {
  @PrimaryColumn('text') definition_id!: string;
  @Column('text') company_user_id!: string;
  @Column('json') definition!: FlowDefinition;
}

/** A party of the definition and the user it is bound to; the owner has no connection. @spec D2-2.1 */
@Entity({ name: 'flow_run_party' })
@Unique(['run_id', 'party_key'])
export class FlowRunPartyEntity {
  @PrimaryColumn('text') run_party_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') run_id!: string;
  @Column('integer') position!: number;
  @Column('text') party_key!: string;
  @Column('text') user_id!: string;
  @Column('text', { nullable: true }) connection_id!: string | null;
  @Column('text', { nullable: true }) customer_type!: 'person' | 'company' | null;
  @Column('text', { nullable: true }) share_code!: string | null;
  @Column('text', { nullable: true }) public_key!: string | null;
  @Column('timestamptz') created_at!: Date;
}

/** A copy of an answer for one user. */
@Entity({ name: 'flow_run_answer' })
@Unique(['run_id', 'for_user_id', 'slug'])
export class FlowRunAnswerEntity {
  @PrimaryColumn('text') answer_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') run_id!: string;
  @Column('text') slug!: string;
  @Column('text') for_user_id!: string;
  @Column('text') value!: string;
  @Column('boolean') source_private!: boolean;
  @Column('json') verification!: Verification;
  @Column('timestamptz') answered_at!: Date;
}

/** The values of customers that text shows, for one recipient. */
@Entity({ name: 'flow_run_tag_values' })
@Unique(['run_id', 'for_user_id'])
export class FlowRunTagValuesEntity {
  @PrimaryColumn('text') tag_values_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') run_id!: string;
  @Column('text') for_user_id!: string;
  @Column('text') public!: string;
  @Column('text', { array: true }) public_tags!: string[];
  @Column('json') private!: Record<string, string>;
}
