import { Inject, Injectable } from '@nestjs/common';
import { many, one, sql } from '@cds/runtime/db';
import { Refusal } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import { Audit } from '../audit/index.ts';
import { notifyDelivery } from '../feed/index.ts';
import { REGION_DB } from '../databases.ts';
import { Home } from '../regions/index.ts';
import { writingKey } from '../key-list.ts';
import { STORED_SECRETS, StoredSecrets } from '../stored-secrets.ts';
import { STORED_SECRETS_RESEALS, type StoredSecretsReseal } from './stored-secrets-reseal.hook.ts';

/** Webhooks looked at together. */
const BATCH = 200;

interface Sealed {
  webhook_id: string;
  company_user_id: string;
  sealed_secrets: string;
}

/** Seals the stored secrets of a region anew, under the key that writes now. It may run beside everything else, and again. */
@Injectable()
export class Reseal {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly audit: Audit,
    @Inject(STORED_SECRETS_RESEALS) private readonly others: readonly StoredSecretsReseal[],
  ) {}

  /**
   * Answers how many were sealed anew; how many are left, those of companies that are moving just now; and how many no key of the list
   * opens, which their owners have to give again.
   */
  async run(): Promise<{ resealed: number; remaining: number; unreadable: number }> {
    const found = { resealed: 0, remaining: 0, unreadable: 0 };
    for (let last: string | undefined = ''; last !== undefined;) {
      const some: Sealed[] = await this.after(last);
      for (const row of some.filter(({ sealed_secrets }) => !this.stored.isCurrent(sealed_secrets))) found[await this.reseal(row)] += 1;
      last = some.length < BATCH ? undefined : some.at(-1)!.webhook_id;
    }
    for (const other of this.others) {
      const outcome = await other.reseal();
      if (outcome !== 'current') found[outcome] += 1;
    }
    const isWorthARow = found.resealed > 0 || found.remaining === 0; // while companies move it is asked again and again
    const details = { kind: 'stored_secrets', count: found.resealed };
    if (isWorthARow) await this.audit.recordAlone({ act: 'key.rotated', object: writingKey(this.stored.keys).id, details });
    return found;
  }

  private after(webhook_id: string): Promise<Sealed[]> {
    return many<Sealed>(
      this.db,
      sql`
      select webhook_id, company_user_id, sealed_secrets from webhook where webhook_id > ${webhook_id} order by webhook_id limit ${BATCH}`,
    );
  }

  /** Compared with what was read: secrets that were changed meanwhile are under the new key already. */
  private async reseal({ webhook_id, company_user_id, sealed_secrets }: Sealed): Promise<'resealed' | 'remaining' | 'unreadable'> {
    const secrets = this.open(sealed_secrets, webhook_id);
    if (!secrets) return 'unreadable';
    const resealed = this.stored.seal(secrets, webhook_id);
    try {
      await this.home.write(company_user_id, async (tx) => {
        await one(
          tx,
          sql`
          update webhook set sealed_secrets = ${resealed} where webhook_id = ${webhook_id} and sealed_secrets = ${sealed_secrets}`,
        );
        await notifyDelivery(tx, webhook_id);
      });
      return 'resealed';
    } catch (error) {
      if (error instanceof Refusal) return 'remaining';
      throw error;
    }
  }

  private open(sealed: string, webhook_id: string): Record<string, string> | undefined {
    try {
      return this.stored.open(sealed, webhook_id);
    } catch {
      return undefined; // it says no more than that
    }
  }
}
