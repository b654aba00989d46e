import type { Webhook } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook as its region keeps it. @spec D1-2.9 */
@Entity({ name: 'webhook' })
export class WebhookEntity {
  @PrimaryColumn('text') webhook_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') url!: string;
  @Column('text', { array: true }) events!: Webhook['events'];
  @Column('text') format!: Webhook['format'];
  @Column('text') auth_type!: Webhook['auth_type'];
  @Column('boolean') encrypt_payload!: boolean;
  @Column('boolean', { default: false }) standard_webhooks!: boolean;
  @Column('boolean') enabled!: boolean;
  @Column('text') sealed_secrets!: string;
  @Column('text', { default: 'running' }) health!: Webhook['health']['state'];
  @Column('timestamptz') health_since!: Date;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz', { nullable: true }) next_probe_at!: Date | null;
  @Column('timestamptz', { nullable: true }) alerted_at!: Date | null;
  @Column('boolean', { default: false }) is_settled!: boolean;
  @Column('text', { nullable: true, default: 'first' }) secret_id!: string | null;
}
