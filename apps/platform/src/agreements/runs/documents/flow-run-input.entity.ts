import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A PDF of a participant that waits for a generation. @spec D2-4.3 */
@Entity({ name: 'flow_run_input' })
@Unique(['run_id', 'user_id', 'source_key'])
export class FlowRunInputEntity {
  @PrimaryColumn('text') input_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') run_id!: string;
  /** The user who uploaded it, and who generates. */
  @Column('text') user_id!: string;
  @Column('text') source_key!: string;
  /** How many characters of base64 it has. */
  @Column('integer') chars!: number;
  @Column('timestamptz') created_at!: Date;
}
