import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A token bucket of a rate limit. */
@Entity({ name: 'rate_bucket' })
export class RateBucketEntity {
  @PrimaryColumn('text') key!: string;
  @Column('double precision') tokens!: number;
  @Column('timestamptz') at!: Date;
}
