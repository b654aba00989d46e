import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SlotOperation } from './region-protocol.ts';

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
  @Column('timestamptz') at!: Date;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz') next_at!: Date;
}
