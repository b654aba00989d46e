import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file that a flow uses, in its draft or in a published version. */
@Entity({ name: 'flow_asset' })
export class FlowAssetEntity {
  @PrimaryColumn('text') asset_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') flow_id!: string;
  @Column('integer', { nullable: true }) version!: number | null;
  @Column('text') asset_key!: string;
  @Column('text') file_id!: string;
}
