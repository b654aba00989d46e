import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An event about a turn that is not published yet. */
@Entity({ name: 'turn_event' })
export class TurnEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column('text') service!: string;
  @Column('text') event!: string;
  @Column('text') turn!: string;
  @Column('jsonb') message!: unknown;
  @Column('text', { nullable: true }) traceparent!: string | null;
}
