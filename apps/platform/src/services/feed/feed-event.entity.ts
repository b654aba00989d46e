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
