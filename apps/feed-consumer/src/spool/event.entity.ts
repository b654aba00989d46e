import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why an event was stored, when it was not simply received. */
export type Mark = 'reconciled' | 'resent';

/** An event of the spool. It stays for a while after it was published. */
@Entity({ name: 'event' })
export class EventEntity {
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'BY DEFAULT' }) seq!: string;
  @PrimaryColumn('text') service!: string;
  /** The id by which a repeated event is recognised. */
  @PrimaryColumn('text') message_id!: string;
  @Column('smallint') shard!: number;
  @Column('text') event_id!: string;
  /** Null when the message could not be read as an event. It then goes to the parked messages. */
  @Column('text', { nullable: true }) event!: string | null;
  @Column('timestamptz') at!: Date;
  @Column('bytea') body!: Buffer;
  @Column('text', { nullable: true }) mark!: Mark | null;
  /** The trace of the change, when it came with the event. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('timestamptz') received_at!: Date;
  /** Names what the event is the state of. A newer event with the same key replaces it. */
  @Column('text', { nullable: true }) state_key!: string | null;
  @Column('boolean', { nullable: true }) by_earlier!: boolean | null;
}

/** An event that is not published yet. */
@Entity({ name: 'waiting' })
export class WaitingEntity {
  @PrimaryColumn('boolean') unreadable!: boolean;
  @PrimaryColumn('text') service!: string;
  @PrimaryColumn('bigint') seq!: string;
  @Column('smallint') shard!: number;
  @Column('integer') bytes!: number;
  @Column('timestamptz') received_at!: Date;
}
