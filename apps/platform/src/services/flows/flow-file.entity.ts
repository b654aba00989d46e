import { Column, Entity, PrimaryColumn } from 'typeorm';

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
