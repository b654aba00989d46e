import { Entity, PrimaryColumn } from 'typeorm';

/** A company that a customer of this region is connected to. */
@Entity({ name: 'customer_company' })
export class CustomerCompanyEntity {
  @PrimaryColumn('text') customer_user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
}
