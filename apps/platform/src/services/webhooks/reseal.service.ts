import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { Audit } from '../../foundation/audit/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { writingKey } from '../../kit/secrets/key-list.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import {
  SEALED_ROWS,
  STORED_SECRETS_RESEALS,
  type SealedRow,
  type SealedRows,
  type StoredSecretsReseal,
} from './stored-secrets-reseal.hook.ts';

/** How many rows are read together. */
const BATCH = 200;

/** Seals the stored secrets of a region anew, under the current writing key. It may run beside everything else, and more than once. */
@Injectable()
export class Reseal {
  constructor(
    private readonly home: Home,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly audit: Audit,
    @Inject(SEALED_ROWS) private readonly tables: readonly SealedRows[],
    @Inject(STORED_SECRETS_RESEALS) private readonly others: readonly StoredSecretsReseal[],
  ) {}

  /** Returns how many secrets were sealed anew, how many are left as their company is moving, and how many no key of the list opens. */
  async run(): Promise<{ resealed: number; remaining: number; unreadable: number }> {
    const found = { resealed: 0, remaining: 0, unreadable: 0 };
    for (const table of this.tables) for await (const row of this.outdated(table)) found[await this.reseal(table, row)] += 1;
    for (const other of this.others) {
      const outcome = await other.reseal();
      if (outcome !== 'current') found[outcome] += 1;
    }
    const isWorthARow = found.resealed > 0 || found.remaining === 0; // the request is repeated while companies move
    const details = { kind: 'stored_secrets', count: found.resealed };
    if (isWorthARow) await this.audit.recordAlone({ act: 'key.rotated', object: writingKey(this.stored.keys).id, details });
    return found;
  }

  private async *outdated(table: SealedRows): AsyncGenerator<SealedRow> {
    for (let last: string | undefined = ''; last !== undefined;) {
      const some: SealedRow[] = await table.after(last, BATCH);
      yield* some.filter(({ sealed_secrets }) => !this.stored.isCurrent(sealed_secrets));
      last = some.length < BATCH ? undefined : some.at(-1)!.id;
    }
  }

  /** Seals one row anew, only if it is as it was read: secrets that were changed meanwhile are under the new key already. */
  private async reseal(table: SealedRows, row: SealedRow): Promise<'resealed' | 'remaining' | 'unreadable'> {
    const secrets = this.stored.tryOpen(row.sealed_secrets, row.id);
    if (!secrets) return 'unreadable';
    const resealed = this.stored.seal(secrets, row.id);
    try {
      await this.home.write(row.company_user_id, (tx) => table.replace(tx, row, resealed));
      return 'resealed';
    } catch (error) {
      if (error instanceof Refusal) return 'remaining';
      throw error;
    }
  }
}
