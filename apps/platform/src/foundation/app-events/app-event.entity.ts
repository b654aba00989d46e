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
