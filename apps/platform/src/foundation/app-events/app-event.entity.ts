import type { AppEventKind } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event in the log of a person's phones. */
@Entity({ name: 'app_event' })
export class AppEventEntity {
  @PrimaryColumn('text') person_user_id!: string;
  @PrimaryColumn('bigint') seq!: string;
  @Column('text', { unique: true }) event_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') kind!: AppEventKind;
  @Column('text') object_id!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) traceparent!: string | null;
}

/** An event for the log of a person, until the home region of the person has it. */
@Entity({ name: 'app_event_outbox' })
export class AppEventOutboxEntity {
  @PrimaryColumn('text') event_id!: string;
  @Column('text') person_user_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') kind!: AppEventKind;
  @Column('text') object_id!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
}

/** The log of a person's phones. */
@Entity({ name: 'app_event_log' })
export class AppEventLogEntity {
  @PrimaryColumn('text') person_user_id!: string;
  @Column('text') log_id!: string;
  @Column('bigint') last_seq!: string;
}
