import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event that is not published yet. */
@Entity({ name: 'waiting' })
export class WaitingEntity {
  @PrimaryColumn('boolean') unreadable!: boolean;
  @PrimaryColumn('text') service!: string;
  @PrimaryColumn('bigint') seq!: string;
  @Column('smallint') shard!: number;
  @Column('integer') bytes!: number;
  @Column('timestamptz') received_at!: Date;
}
