import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A piece of the content of a run's file. */
@Entity({ name: 'flow_run_piece' })
@Unique(['file_id', 'position'])
export class FlowRunPieceEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') owner_user_id!: string;
  @Column('text') file_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
  @Column('text', { nullable: true }) encoding!: string | null;
}
