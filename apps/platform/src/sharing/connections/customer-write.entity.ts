import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The time of the last write of a customer, and who writes now. */
@Entity({ name: 'customer_write' })
export class CustomerWriteEntity {
  @PrimaryColumn('text') customer_user_id!: string;
  @Column('timestamptz') last_at!: Date;
  @Column('text', { nullable: true }) lease_id!: string | null;
  @Column('timestamptz', { default: '-infinity' }) leased_until!: Date;
}

/** A company that a customer of this region is connected to. */
@Entity({ name: 'customer_company' })
export class CustomerCompanyEntity {
  @PrimaryColumn('text') customer_user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
}
