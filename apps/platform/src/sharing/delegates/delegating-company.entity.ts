import { Entity, PrimaryColumn } from 'typeorm';

/** A company that a user of this region works for. */
@Entity({ name: 'delegating_company' })
export class DelegatingCompanyEntity {
  @PrimaryColumn('text') user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
}
