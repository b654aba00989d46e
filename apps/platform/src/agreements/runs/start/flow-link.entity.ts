import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A file that a customer has linked to a field of a flow. */
@Entity({ name: 'flow_link' })
@Unique(['connection_id', 'flow_id', 'slug'])
export class FlowLinkEntity {
  @PrimaryColumn('text') link_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') flow_id!: string;
  @Column('text') slug!: string;
  @Column('text') type!: string;
  /** The field of the customer's profile. */
  @Column('text') source_field!: string;
  /** The run that holds the copy from the moment when the file was linked. */
  @Column('text') run_id!: string;
  @Column('timestamptz') linked_at!: Date;
}
