import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Step } from './step-table.ts';

/** A move of a company that is under way. */
@Entity({ name: 'region_move' })
export class RegionMoveEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('text') from_region!: string;
  @Column('text') to_region!: string;
  @Column('text') step!: Step;
  /** How often this step was begun. */
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('integer', { default: 0 }) turn!: number;
  @Column('timestamptz') started_at!: Date;
  @Column('timestamptz') due_at!: Date;
}
