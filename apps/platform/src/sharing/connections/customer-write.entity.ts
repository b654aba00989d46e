import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SlotOperation } from './region-protocol.ts';

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

/** A change of slots that the region of a company has still to make. */
@Entity({ name: 'slot_change' })
export class SlotChangeEntity {
  @PrimaryColumn('text') change_id!: string;
  @Column('text') customer_user_id!: string;
  @Column('text') company_user_id!: string;
  /** Where the company lived when the change was made. */
  @Column('text') region!: string;
  @Column('text') operation!: SlotOperation;
  @Column('text') request!: string;
  /** What a device of the customer has signed over the change. */
  @Column('text', { nullable: true }) statement!: string | null;
  @Column('timestamptz') at!: Date;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
}
