import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A company that asks a person of this region to connect. */
@Entity({ name: 'asking_company' })
export class AskingCompanyEntity {
  @PrimaryColumn('text') person_user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
  @Column('timestamptz') asked_at!: Date;
}
