import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FlowDefinition } from '@codase/contracts';

/** The definition that all runs of one version share. */
@Entity({ name: 'flow_run_definition' })
export class FlowRunDefinitionEntity {
  @PrimaryColumn('text') definition_id!: string;
  @Column('text') company_user_id!: string;
  @Column('json') definition!: FlowDefinition;
}
