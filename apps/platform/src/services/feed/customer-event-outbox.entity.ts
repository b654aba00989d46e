import { Column, Entity, PrimaryColumn } from 'typeorm';

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
