import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The log of a person's phones. */
@Entity({ name: 'app_event_log' })
export class AppEventLogEntity {
  @PrimaryColumn('text') person_user_id!: string;
  @Column('text') log_id!: string;
  @Column('bigint') last_seq!: string;
}
