import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A person who approves the logins of a service, and the connection through which the person does so. @spec D1-2.10 */
@Entity({ name: 'twofa_enrolment' })
@Unique(['service_id', 'person_user_id'])
export class TwofaEnrolmentEntity {
  @PrimaryColumn('text') enrolment_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') person_user_id!: string;
  @Column('text') share_code!: string;
  @Column('timestamptz') enrolled_at!: Date;
}
