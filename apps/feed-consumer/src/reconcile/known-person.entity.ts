import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is known of a slot, as digests, never its value. An empty object means only that the slot has a value. */
export interface KnownSlot {
  /** The digest of all that the platform lists of the slot; after an event, of what the list would have if that were all. */
  whole?: string;
  /** The digest of the value alone, when an event came last. An event contains neither proofs of verification nor the content of a file. */
  content?: string;
}

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
