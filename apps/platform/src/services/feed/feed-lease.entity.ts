import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The events that were drained with a lease, until the next drain. */
@Entity({ name: 'feed_lease' })
export class FeedLeaseEntity {
  @PrimaryColumn('text') channel!: string;
  @Column('text') lease!: string;
  @Column('bigint', { array: true }) seqs!: string[];
  @Column('timestamptz') created_at!: Date;
  @Column('text') company_user_id!: string;
}
