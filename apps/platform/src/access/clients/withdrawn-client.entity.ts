import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A client that was withdrawn, so that it is never registered again. */
@Entity({ name: 'withdrawn_client' })
export class WithdrawnClientEntity {
  @PrimaryColumn('text') id!: string;
  @Column('timestamptz') withdrawn_at!: Date;
}
