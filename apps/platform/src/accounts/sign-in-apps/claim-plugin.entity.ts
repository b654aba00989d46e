import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A plugin of a company that an app uses for a claim. */
@Entity({ name: 'claim_plugin' })
export class ClaimPluginEntity {
  @PrimaryColumn('text') claim_plugin_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') app_id!: string;
  @Column('text') revision!: string;
  @Column('text') plugin_id!: string;
  @Column('text') app_name!: string;
  @Column('text') label!: string;
  @Column('timestamptz') noted_at!: Date;
  @Column('timestamptz', { nullable: true }) check_at!: Date | null;
}
