import { Inject, Injectable } from '@nestjs/common';
import { Audit } from '../audit/index.ts';
import { writingKey } from '../key-list.ts';
import { STORED_SECRETS, StoredSecrets } from '../stored-secrets.ts';
import { FactorSecrets } from './factor-secrets.service.ts';
import { SecondFactorsStore } from './second-factors.store.ts';

/** How many rows are read together. */
const BATCH = 200;

/** Seals the stored secrets of the front door anew, under the key that writes now. It may run beside everything else, and again. */
@Injectable()
export class FactorReseal {
  constructor(
    private readonly factors: SecondFactorsStore,
    private readonly secrets: FactorSecrets,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly audit: Audit,
  ) {}

  /** Returns how many were sealed anew, and how many no key of the list opens. None is ever left for later. */
  async run(): Promise<{ resealed: number; remaining: number; unreadable: number }> {
    const found = { resealed: 0, remaining: 0, unreadable: 0 };
    for (let last: string | undefined = ''; last !== undefined;) {
      const rows = await this.factors.after(last, BATCH);
      for (const row of rows.filter((one) => !this.secrets.isCurrent(one))) {
        const resealed = this.secrets.reseal(row);
        if (resealed !== undefined) await this.factors.reseal(row, resealed);
        found[resealed === undefined ? 'unreadable' : 'resealed'] += 1;
      }
      last = rows.length < BATCH ? undefined : rows.at(-1)!.user_id;
    }
    const details = { kind: 'stored_secrets', count: found.resealed };
    await this.audit.recordAlone({ act: 'key.rotated', object: writingKey(this.stored.keys).id, details });
    return found;
  }
}
