import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in of a user with a client. */
@Entity({ name: 'session' })
export class SessionEntity {
  @PrimaryColumn('text') session_id!: string;
  @Column('text') client_id!: string;
  @Column('text') user_id!: string;
  @Column('integer') epoch!: number;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
  @Column('timestamptz', { nullable: true }) last_used_at!: Date | null;
}
