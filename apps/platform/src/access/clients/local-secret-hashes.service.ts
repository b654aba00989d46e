import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { ClientRow } from './client-row.ts';
import { digestSecret, hashSecret, matchesOldForm, matchingVerifier, PEPPERS, verifierOf } from './client-secret.ts';
import type { Peppers } from './peppers.service.ts';
import { ClientsStore, type KeptSecrets } from './clients.store.ts';
import { ClientsTable } from './clients-table.service.ts';
import type { SecretHashes } from './client-authenticator.service.ts';

/** Checks and renews hashes at the front door, which has the peppers and the hashes. */
@Injectable()
export class LocalSecretHashes implements SecretHashes {
  constructor(
    private readonly store: ClientsStore,
    private readonly clients: ClientsTable,
    @Inject(PEPPERS) private readonly peppers: Peppers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async provesOldForm({ client_id }: ClientRow, secret: string): Promise<boolean> {
    const { secret_hash } = (await this.store.keptSecrets(client_id)) ?? {};
    if (!secret_hash || !matchesOldForm(this.peppers, secret, secret_hash)) return false;
    await this.write(client_id, secret_hash, digestSecret(secret));
    return true;
  }

  /** Hashes a secret again under the newest pepper. The caller must know the secret or its digest: another digest changes nothing. */
  async hashAnew(client_id: string, digest: string): Promise<void> {
    const kept = await this.store.keptSecrets(client_id);
    const found = kept && this.hashesOf(kept).find((hash) => this.isOf(client_id, hash, digest));
    if (found) await this.write(client_id, found, digest);
  }

  private hashesOf({ secret_hash, old_secret_hash }: KeptSecrets): string[] {
    return [secret_hash, old_secret_hash].filter((hash) => hash !== null);
  }

  private isOf(client_id: string, hash: string, digest: string): boolean {
    const verifier = verifierOf(this.peppers, client_id, hash);
    return verifier !== undefined && !verifier.is_current && matchingVerifier([verifier], digest, this.clock.now()) !== undefined;
  }

  /** Writes the new hash, unless the secret was replaced meanwhile. */
  private write(client_id: string, before: string, digest: string): Promise<void> {
    return this.clients.change(client_id, (tx) =>
      this.store.rehashSecret(client_id, { before, after: hashSecret(this.peppers, client_id, digest) }, tx),
    );
  }
}
