import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A piece of a file of a flow. */
@Entity({ name: 'flow_file_piece' })
@Unique(['file_id', 'position'])
export class FlowFilePieceEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') file_id!: string;
  @Column('integer') position!: number;
  @Column('bytea') piece!: Buffer;
}
