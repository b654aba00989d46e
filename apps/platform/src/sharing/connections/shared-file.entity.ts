import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A piece of the file of a binary answer. */
@Entity({ name: 'shared_file' })
@Unique(['shared_value_id', 'position'])
export class SharedFileEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') shared_value_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
  @Column('text', { nullable: true }) encoding!: string | null;
}
