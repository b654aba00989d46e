import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The mode of a region, as the front door keeps it. */
@Entity({ name: 'region_mode' })
export class RegionModeEntity {
  @PrimaryColumn('text') region!: string;
  @Column('boolean', { default: false }) writes_paused!: boolean;
  @Column('boolean', { default: false }) out_of_order!: boolean;
}
