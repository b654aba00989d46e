import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A file that a company uploaded for its flows. */
@Entity({ name: 'flow_file' })
export class FlowFileEntity {
  @PrimaryColumn('text') file_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') kind!: 'pdf' | 'image';
  @Column('text') original_name!: string;
  @Column('text') mime_type!: string;
  @Column('integer') size!: number;
  @Column('text') sha256!: string;
  /** The value tags of a PDF. */
  @Column('text', { array: true }) tags!: string[];
  @Column('timestamptz') created_at!: Date;
}

/** A file that a flow uses, in its draft or in a published version. */
@Entity({ name: 'flow_asset' })
export class FlowAssetEntity {
  @PrimaryColumn('text') asset_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') flow_id!: string;
  @Column('integer', { nullable: true }) version!: number | null;
  @Column('text') asset_key!: string;
  @Column('text') file_id!: string;
}

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
