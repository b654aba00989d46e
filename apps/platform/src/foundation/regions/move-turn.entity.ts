import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last turn of moves that this region has heard of a company. */
@Entity({ name: 'move_turn' })
export class MoveTurnEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('integer') turn!: number;
}
