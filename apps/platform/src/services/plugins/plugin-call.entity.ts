import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A call of a plugin. */
@Entity({ name: 'plugin_call' })
export class PluginCallEntity {
  @PrimaryColumn('text') call_id!: string;
  @Column('text') plugin_id!: string;
  @Column('timestamptz') began_at!: Date;
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
}
