import { isDeepStrictEqual } from 'node:util';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { readKeyObject } from './audited-key.ts';
import { removed, withoutKey } from './provider-changes.ts';
import { PROVIDERS } from './provider-rows.ts';
import { ProvidersStore } from './providers.store.ts';

/** Puts providers as they were published last, and removes and revokes again what the exported audit says was removed or revoked. */
export async function reconcileProviders({ tx, report, acts, published, record }: RestoredFrontDoor): Promise<void> {
  const store = new ProvidersStore(tx);
  const before = new Map((await store.all()).map((row) => [row.provider_id, row]));
  const rows = new Map(before);
  if (report.was_older) for (const row of await published(PROVIDERS)) rows.set(row.provider_id, row);
  for (const object of acts.objects('verification_provider.key_revoked').keys()) {
    const { provider_id, kid } = readKeyObject(object);
    const row = rows.get(provider_id);
    if (row?.keys.some((key) => key.kid === kid)) rows.set(provider_id, withoutKey(row, kid));
  }
  for (const provider_id of acts.objects('verification_provider.removed').keys()) {
    const row = rows.get(provider_id);
    if (row && !row.removed) rows.set(provider_id, removed(row));
  }
  for (const [provider_id, row] of rows) {
    if (isDeepStrictEqual(row, before.get(provider_id))) continue;
    await store.put(row, tx);
    await record({ act: 'verification_provider.reconciled', object: provider_id });
    report.verification_providers.push(provider_id);
  }
}
