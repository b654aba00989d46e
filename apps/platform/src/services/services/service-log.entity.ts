import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An entry in the log of a service. */
@Entity({ name: 'service_log' })
export class ServiceLogEntity {
  @PrimaryColumn('text') log_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('timestamptz') at!: Date;
  @Column('text') kind!: string;
  @Column('text') message!: string;
  @Column('text', { nullable: true }) webhook_id!: string | null;
}
