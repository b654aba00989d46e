import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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
