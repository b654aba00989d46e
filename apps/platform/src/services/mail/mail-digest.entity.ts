import { Entity, PrimaryColumn } from 'typeorm';

/** An address that has had its digest of the day. */
@Entity({ name: 'mail_digest' })
export class MailDigestEntity {
  @PrimaryColumn('date') day!: string;
  @PrimaryColumn('text') recipient_hash!: string;
}
