import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The right of one replica to work on a shard, for a time. */
@Entity({ name: 'lease' })
export class LeaseEntity {
  @PrimaryColumn('text') kind!: string;
  @PrimaryColumn('text') name!: string;
  @Column('text', { nullable: true }) owner!: string | null;
  @Column('bigint', { default: 0 }) epoch!: string;
  @Column('timestamptz') until!: Date;
}

/** A replica that lives, until its time runs out. */
@Entity({ name: 'replica' })
export class ReplicaEntity {
  @PrimaryColumn('text') kind!: string;
  @PrimaryColumn('text') name!: string;
  @Column('timestamptz') until!: Date;
}
