import { Inject, Injectable } from '@nestjs/common';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { sealForTransfer, storeTransferred, transferKey } from './secrets-transfer.ts';
import type { MovedTable } from './moved-tables.ts';

/** Seals the stored secrets in rows for another region, and stores those of rows from one: each region has its own key. */
@Injectable()
export class TransferredRows {
  constructor(@Inject(STORED_SECRETS) private readonly stored: StoredSecrets) {}

  transferKey(): { public_key: string } {
    return { public_key: transferKey(this.stored.keys) };
  }

  leaving(table: MovedTable, rows: string, public_key: string): string {
    return replaceSealed(table, rows, (sealed, owner_id) => sealForTransfer(this.stored, sealed, owner_id, public_key));
  }

  arriving(table: MovedTable, rows: string): string {
    return replaceSealed(table, rows, (sealed, owner_id) => storeTransferred(this.stored, sealed, owner_id));
  }
}

/** Replaces the sealed secrets in the JSON text itself: no number loses a digit. Being random, they need no escapes. */
function replaceSealed({ key, sealed }: MovedTable, rows: string, replace: (sealed: string, owner_id: string) => string): string {
  if (sealed === undefined) return rows;
  let text = rows;
  for (const row of JSON.parse(rows) as Record<string, string>[])
    text = text.replace(`"${row[sealed]!}"`, () => `"${replace(row[sealed]!, row[key]!)}"`);
  return text;
}
