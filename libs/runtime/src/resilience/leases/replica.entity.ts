import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A replica that lives, until its time runs out. */
@Entity({ name: 'replica' })
export class ReplicaEntity {
  @PrimaryColumn('text') kind!: string;
  @PrimaryColumn('text') name!: string;
  @Column('timestamptz') until!: Date;
}
