import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many mails were sent on a day about one subject. */
@Entity({ name: 'mail_quota' })
export class MailQuotaEntity {
  @PrimaryColumn('date') day!: string;
  @PrimaryColumn('text') subject!: string;
  @Column('integer') mails!: number;
}
