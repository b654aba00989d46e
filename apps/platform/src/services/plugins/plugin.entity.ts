import type { PluginDescription } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A plugin of a company: one at an address, or a built-in one that was switched on. @spec D1-2.11 */
@Entity({ name: 'plugin' })
@Unique(['company_user_id', 'base_url'])
@Unique(['company_user_id', 'builtin_key'])
export class PluginEntity {
  @PrimaryColumn('text') plugin_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text', { nullable: true }) base_url!: string | null;
  @Column('text', { nullable: true }) builtin_key!: string | null;
  /** The sealed token; when there is none, a sealed empty object. */
  @Column('text') sealed_secrets!: string;
  /** Null until the description has been fetched. */
  @Column('jsonb', { nullable: true }) description!: PluginDescription | null;
  @Column('timestamptz', { nullable: true }) last_refresh!: Date | null;
  @Column('text', { nullable: true }) last_error!: string | null;
  @Column('timestamptz') created_at!: Date;
}

/** A call of a plugin. */
@Entity({ name: 'plugin_call' })
export class PluginCallEntity {
  @PrimaryColumn('text') call_id!: string;
  @Column('text') plugin_id!: string;
  @Column('timestamptz') began_at!: Date;
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
}
