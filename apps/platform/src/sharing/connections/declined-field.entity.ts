import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A request field that a customer has declined to answer. */
@Entity({ name: 'declined_field' })
@Unique(['connection_id', 'service_field_id'])
export class DeclinedFieldEntity {
  @PrimaryColumn('text') declined_field_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') service_field_id!: string;
  @Column('timestamptz') declined_at!: Date;
}
