import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { identifyInitiator } from '@codase/runtime/initiator';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { CLIENT_LOOKUP, isPublic, type ClientLookup, type ClientRow } from './client-row.ts';
import { digestSecret, matchingVerifier } from './client-secret.ts';
import { ClientsReplica } from './clients-replica.service.ts';

/** What a base can do about a secret whose hash is not of the newest form. */
export interface SecretHashes {
  /** Whether the secret is that of a client whose hash the verifiers cannot check. Refuses when only another base can check it. */
  provesOldForm(client: ClientRow, secret: string): Promise<boolean>;
  /** Hashes a valid secret again that was hashed under an older pepper. */
  hashAnew(client_id: string, digest: string): Promise<void>;
}
export const SECRET_HASHES = Symbol('SecretHashes');

/** The id and the secret that a client presents. */
interface ClientCredentials {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

/** Authenticates a client by its secret, or a public client by its id. @spec D1-5.2 */
@Injectable()
export class ClientAuthenticator {
  /** Clients whose secret is being hashed again, so that under load only one request asks for it. */
  private readonly hashing = new Set<string>();

  constructor(
    private readonly followed: ClientsReplica,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(SECRET_HASHES) private readonly hashes: SecretHashes,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Authenticates a client. The row of the local replica is enough when the secret fits it, which saves most requests a query. Otherwise
   * the registry is asked, because the client may have been registered, or its secret regenerated, a moment ago. A secret that was replaced
   * in that moment is of no use: its tokens have an old epoch.
   */
  async authenticate({ client_id, client_secret }: ClientCredentials): Promise<ClientRow> {
    if (client_id === undefined)
      throw new Refusal('oauth.invalid_client').because('Send client_id, and client_secret unless the client is public');
    const followed = this.followed.known(client_id);
    if (!this.isProven(followed, client_secret)) return this.authenticateByRegistry(client_id, client_secret);
    identifyInitiator({ client_id });
    return followed!;
  }

  private async authenticateByRegistry(client_id: string, client_secret: string | undefined): Promise<ClientRow> {
    const client = await this.clients.clientOf(client_id);
    if (!this.isProven(client, client_secret) && !(client && (await this.isProvenByOldForm(client, client_secret))))
      throw new Refusal('oauth.invalid_client');
    identifyInitiator({ client_id });
    return client!;
  }

  /** Whether the secret proves the client; a public one sends none. That of an unknown client is compared too, to take as long. */
  private isProven(client: ClientRow | undefined, secret: string | undefined): boolean {
    const digest = digestSecret(secret ?? '');
    const matching = matchingVerifier(client?.secrets ?? [], digest, this.clock.now());
    if (!client || client.disabled) return false;
    if (isPublic(client)) return secret === undefined;
    if (matching && !matching.is_current) this.hashAnew(client.client_id, digest);
    return matching !== undefined;
  }

  private async isProvenByOldForm(client: ClientRow, secret: string | undefined): Promise<boolean> {
    const isUnchecked = !client.disabled && !isPublic(client) && client.secrets.length === 0 && secret !== undefined;
    return isUnchecked && this.hashes.provesOldForm(client, secret);
  }

  /** Hashes a secret again, without making the caller wait. When it fails, the next use tries again. */
  private hashAnew(client_id: string, digest: string): void {
    if (this.hashing.has(client_id)) return;
    this.hashing.add(client_id);
    this.hashes
      .hashAnew(client_id, digest)
      .catch((error: unknown) => this.log.warn('a client secret was not hashed anew; its next use tries again', { error }))
      .finally(() => this.hashing.delete(client_id));
  }
}
