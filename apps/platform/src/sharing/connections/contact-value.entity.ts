import type { Verification } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A value of a user's own profile: the source that live answers follow. @gap D1-5.8 */
@Entity({ name: 'contact_value' })
export class ContactValueEntity {
  @PrimaryColumn('text') owner_user_id!: string;
  @PrimaryColumn('text') slug!: string;
  @Column('text') value!: string;
  @Column('boolean') is_private!: boolean;
  @Column('jsonb') verification!: Verification;
  @Column('timestamptz') updated_at!: Date;
}
