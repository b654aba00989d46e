import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A service whose events are drained. */
@Entity({ name: 'channel' })
export class ChannelEntity {
  @PrimaryColumn('text') service!: string;
  @Column('timestamptz', { nullable: true }) draining_since!: Date | null;
  @Column('text', { nullable: true }) drain_lease!: string | null;
  @Column('text', { nullable: true }) reconcile!: string | null;
  @Column('text', { nullable: true }) reconcile_cursor!: string | null;
  @Column('integer', { default: 1 }) run!: number;
  /** When the last drain whose events were stored began. */
  @Column('timestamptz', { nullable: true }) drained_at!: Date | null;
  @Column('timestamptz', { nullable: true }) unopened_since!: Date | null;
}
