import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The person of an enrolment in two-factor approval at a service. */
@Entity({ name: 'enrolment' })
export class EnrolmentEntity {
  @PrimaryColumn('text') service_id!: string;
  @PrimaryColumn('text') person_user_id!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) connection_id!: string | null;
}
