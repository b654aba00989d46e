import { Inject, Injectable } from '@nestjs/common';
import type { OPERATOR } from '@codase/contracts';
import type { ReplyOf } from '@codase/runtime/nest-bus';
import { Audit } from '../../foundation/audit/index.ts';
import { writingKey } from '../../kit/secrets/key-list.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { FactorSecrets } from './factor-secrets.service.ts';
import { SecondFactorsStore } from './second-factors.store.ts';
import type { SecondFactorEntity } from './second-factor.entity.ts';

/** How many rows are read together. */
const BATCH = 200;
/** How many users are named whose second factors no key opens. */
const MAX_NAMED = 100;

/** What was sealed anew, and of whom no key of the list opens the second factor. None is ever left for later. */
type Resealed = ReplyOf<typeof OPERATOR.resealFrontDoorSecrets>;

/** Seals the stored secrets of the front door anew, under the key that writes now. It may run beside everything else, and again. */
@Injectable()
export class FactorReseal {
  constructor(
    private readonly factors: SecondFactorsStore,
    private readonly secrets: FactorSecrets,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly audit: Audit,
  ) {}

  async run(): Promise<Resealed> {
    const found: Resealed = { resealed: 0, remaining: 0, unreadable: 0, unreadable_user_ids: [] };
    for (let last: string | undefined = ''; last !== undefined;) {
      const rows = await this.factors.after(last, BATCH);
      for (const row of rows.filter((one) => !this.secrets.isCurrent(one))) await this.reseal(row, found);
      last = rows.length < BATCH ? undefined : rows.at(-1)!.user_id;
    }
    const details = { kind: 'stored_secrets', count: found.resealed };
    await this.audit.recordAlone({ act: 'key.rotated', object: writingKey(this.stored.keys).id, details });
    return found;
  }

  private async reseal(row: SecondFactorEntity, found: Resealed): Promise<void> {
    if (this.secrets.isReadable(row)) {
      await this.factors.reseal(row, this.secrets.reseal(row));
      found.resealed += 1;
      return;
    }
    found.unreadable += 1;
    if (found.unreadable <= MAX_NAMED) found.unreadable_user_ids.push(row.user_id);
  }
}
