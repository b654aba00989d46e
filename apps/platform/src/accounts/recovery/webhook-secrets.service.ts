import { Inject, Injectable } from '@nestjs/common';
import { webhooks } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { REGION_DB } from '../../kit/databases.ts';
import { signingSecretsAmong } from '../../services/webhooks/index.ts';
import type { RecoverySubject, RecoverySubjects } from './recovery-subjects.ts';

/** The secrets that sign what webhooks deliver. @spec D1-5.9 */
@Injectable()
export class WebhookSecrets implements RecoverySubjects {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  async find(company_user_id: string, webhook_ids: readonly string[]): Promise<ReadonlyMap<string, RecoverySubject>> {
    const found = await signingSecretsAmong(this.db, company_user_id, webhook_ids);
    return new Map(
      found.map(({ webhook_id, service_id, secret_id }) => [webhook_id, { secret_id, service_id, given_at: webhooks.createWebhook.path }]),
    );
  }
}
