import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The outcome of an enrolment that is fetched by whoever began it. */
@Entity({ name: 'detached_result' })
export class DetachedResultEntity {
  @PrimaryColumn('text') client_id!: string;
  @PrimaryColumn('text') state_hash!: string;
  @Column('text') outcome!: 'waiting' | 'enrolling' | 'enrolled' | 'denied';
  @Column('timestamptz') expires_at!: Date;
}
