import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The connection of one customer to a service, as the region of the company stores it. @spec D1-2.7 */
@Entity({ name: 'connection' })
@Unique(['service_id', 'customer_user_id'])
export class ConnectionEntity {
  @PrimaryColumn('text') connection_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') customer_user_id!: string;
  @Column('text') customer_type!: 'person' | 'company';
  /** The name of the customer at the time of connecting: no event could report a later name. @gap D1-2.7 */
  @Column('text') display_name!: string;
  @Column('text') share_code!: string;
  @Column('text') public_key!: string;
  @Column('timestamptz') connected_at!: Date;
  @Column('timestamptz', { nullable: true }) dropped_as_of!: Date | null;
}
