import { Inject, Injectable } from '@nestjs/common';
import { services } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { REGION_DB } from '../../kit/databases.ts';
import { servicesAmong } from '../../services/services/index.ts';
import type { RecoverySubject, RecoverySubjects } from './recovery-subjects.ts';

/** Services never get another key, so each has one passphrase for good. */
const ONLY = 'only';

/** The passphrases of service keys, which the creator of a service chooses. @spec D1-2.4 */
@Injectable()
export class ServicePassphrases implements RecoverySubjects {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  async find(company_user_id: string, service_ids: readonly string[]): Promise<ReadonlyMap<string, RecoverySubject>> {
    const found = await servicesAmong(this.db, company_user_id, service_ids);
    return new Map(found.map((service_id) => [service_id, { secret_id: ONLY, service_id, given_at: services.createService.path }]));
  }
}
