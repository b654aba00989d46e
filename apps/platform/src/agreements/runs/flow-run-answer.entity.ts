import type { Verification } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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
