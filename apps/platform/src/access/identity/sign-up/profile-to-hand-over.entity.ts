import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The profile of a new account, until its home region has it. */
@Entity({ name: 'profile_to_hand_over' })
export class ProfileToHandOverEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('jsonb') profile!: unknown;
  @Column('timestamptz') created_at!: Date;
}
