import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A request of a service that a person connects, as the company's region keeps it. */
@Entity({ name: 'connect_request' })
@Unique(['service_id', 'person_user_id'])
export class ConnectRequestEntity {
  @PrimaryColumn('text') request_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') person_user_id!: string;
  @Column('text') share_code!: string;
  /** What the service says to the person. It is deleted when the person has answered. */
  @Column('text', { nullable: true }) message!: string | null;
  @Column('timestamptz') asked_at!: Date;
  @Column('timestamptz', { nullable: true }) rejected_at!: Date | null;
}

/** A company that asks a person of this region to connect. */
@Entity({ name: 'asking_company' })
export class AskingCompanyEntity {
  @PrimaryColumn('text') person_user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
  @Column('timestamptz') asked_at!: Date;
}
