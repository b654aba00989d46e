import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** An event that waits in a feed or for a webhook. The table has a partition for each day. */
@Entity({ name: 'feed_event' })
export class FeedEventEntity {
  @PrimaryColumn('text') channel!: string;
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' }) seq!: string;
  @PrimaryColumn('timestamptz') created_at!: Date;
  @Column('text', { default: () => "('evt_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))" }) id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') event!: string;
  @Column('text', { nullable: true }) connection_id!: string | null;
  @Column('text', { nullable: true }) collapse_key!: string | null;
  @Column('json') body!: unknown;
  @Column('text', { nullable: true }) traceparent!: string | null;
}

/** An event for the own feed of a company, until its home region has it. */
@Entity({ name: 'customer_event_outbox' })
export class CustomerEventOutboxEntity {
  @PrimaryColumn('text') event_id!: string;
  @Column('text') user_id!: string;
  @Column('json') event!: unknown;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
}

/** The events that were drained with a lease, until the next drain. */
@Entity({ name: 'feed_lease' })
export class FeedLeaseEntity {
  @PrimaryColumn('text') channel!: string;
  @Column('text') lease!: string;
  @Column('bigint', { array: true }) seqs!: string[];
  @Column('timestamptz') created_at!: Date;
  @Column('text') company_user_id!: string;
}
