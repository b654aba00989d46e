import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The name that the apps of a company know a person by. */
@Entity({ name: 'app_subject' })
export class AppSubjectEntity {
  @PrimaryColumn('text') company_user_id!: string;
  @PrimaryColumn('text') user_id!: string;
  @Column('text', { unique: true }) subject!: string;
}
