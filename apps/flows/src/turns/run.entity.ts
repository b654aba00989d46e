import type { Absent } from '@codase/domain';
import type { RunStatus } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { TurnState } from './turn-state.ts';

/** A run of a service whose turns the company takes. */
@Entity({ name: 'run' })
export class RunEntity {
  @PrimaryColumn('text') service!: string;
  @PrimaryColumn('text') flow_run_id!: string;
  @Column('text', { nullable: true }) flow_id!: string | null;
  @Column('text') state!: Exclude<TurnState, Absent>;
  @Column('text') status!: RunStatus;
  @Column('text', { nullable: true }) node!: string | null;
  @Column('timestamptz', { nullable: true }) look_at!: Date | null;
  /** How often an event or the poll said that the run has moved. */
  @Column('integer', { default: 0 }) heard!: number;
  @Column('timestamptz', { nullable: true }) claimed_until!: Date | null;
  @Column('integer', { default: 0 }) failures!: number;
  @Column('timestamptz', { nullable: true }) opened_at!: Date | null;
  @Column('timestamptz', { nullable: true }) open_at!: Date | null;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('text', { nullable: true }) error_key!: string | null;
  @Column('uuid', { nullable: true }) hold!: string | null;
  @Column('text', { nullable: true }) holder!: string | null;
  @Column('text', { nullable: true }) held_by!: string | null;
  @Column('timestamptz', { nullable: true }) held_until!: Date | null;
  @Column('text', { nullable: true }) submission!: string | null;
  @Column('timestamptz', { nullable: true }) remind_at!: Date | null;
  @Column('integer', { default: 0 }) reminders!: number;
  @Column('timestamptz', { nullable: true }) overdue_at!: Date | null;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('timestamptz') changed_at!: Date;
}

/** An event about a turn that is not published yet. */
@Entity({ name: 'turn_event' })
export class TurnEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column('text') service!: string;
  @Column('text') event!: string;
  @Column('text') turn!: string;
  @Column('jsonb') message!: unknown;
  @Column('text', { nullable: true }) traceparent!: string | null;
}
