import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A message as the region of the company stores it. */
@Entity({ name: 'message' })
@Unique(['connection_id', 'created_at'])
@Unique(['connection_id', 'sender', 'repeat_hash'])
export class MessageEntity {
  @PrimaryColumn('text') message_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') customer_user_id!: string;
  @Column('text') sender!: 'person' | 'company';
  /** Ciphertext. */
  @Column('text') body!: string;
  /** The hash by which a repeated call is recognised. */
  @Column('bytea') repeat_hash!: Buffer;
  /** The time of the message, later than that of every earlier message on the connection. */
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz', { nullable: true }) read_at!: Date | null;
}
