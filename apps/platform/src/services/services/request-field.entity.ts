import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A field that a service asks its customers for. @spec D1-2.5 */
@Entity({ name: 'request_field' })
@Unique(['service_id', 'slug'])
export class RequestFieldEntity {
  @PrimaryColumn('text') service_field_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('integer') position!: number;
  @Column('text') slug!: string;
  @Column('text') label!: string;
  @Column('text') type!: string;
  @Column('boolean') one_time!: boolean;
  @Column('boolean') mandatory!: boolean;
  @Column('text') audience!: string;
  @Column('boolean') verified!: boolean;
  @Column('integer', { nullable: true }) verified_max_age_days!: number | null;
  @Column('jsonb', { nullable: true }) plugin!: unknown | null;
}
