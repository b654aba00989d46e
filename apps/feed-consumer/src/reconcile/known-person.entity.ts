import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KnownSlot } from './known-state.ts';

/** What is known of a person who is connected. */
@Entity({ name: 'known_person' })
export class KnownPersonEntity {
  @PrimaryColumn('text') service!: string;
  @PrimaryColumn('text') person_user_id!: string;
  @Column('text', { nullable: true }) share_code!: string | null;
  @Column('text') customer_type!: string;
  @Column('jsonb') slots!: Record<string, KnownSlot>;
  @Column('integer') run!: number;
  /** Whether the platform has listed the person. If not, there may be slots that no event announced. */
  @Column('boolean', { default: true }) listed!: boolean;
}
