import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A party of the definition and the user it is bound to; the owner has no connection. @spec D2-2.1 */
@Entity({ name: 'flow_run_party' })
@Unique(['run_id', 'party_key'])
export class FlowRunPartyEntity {
  @PrimaryColumn('text') run_party_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') run_id!: string;
  @Column('integer') position!: number;
  @Column('text') party_key!: string;
  @Column('text') user_id!: string;
  @Column('text', { nullable: true }) connection_id!: string | null;
  @Column('text', { nullable: true }) customer_type!: 'person' | 'company' | null;
  @Column('text', { nullable: true }) share_code!: string | null;
  @Column('text', { nullable: true }) public_key!: string | null;
  @Column('timestamptz') created_at!: Date;
}
