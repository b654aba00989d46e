import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { identifyInitiator } from '@cds/runtime/initiator';
import { CLIENT_LOOKUP, type ClientLookup, type ClientRow } from './client-row.ts';
import { PEPPER, secretMatches, type Pepper } from './client-secret.ts';
import { ClientsReplica } from './clients-replica.service.ts';

/** What a client says of itself. */
export interface ClientCredentials {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

/** Knows a client by its secret, or a public one by its name. @spec D1-5.2 */
@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly followed: ClientsReplica,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(PEPPER) private readonly pepper: Pepper,
  ) {}

  /**
   * The row that is followed in memory is enough when the secret fits it, which spares most requests a query. Otherwise the client may
   * have been registered, or its secret regenerated, a moment ago. A secret that was replaced in that moment gains nothing: its tokens
   * are of an old epoch.
   */
  async authenticate({ client_id, client_secret }: ClientCredentials): Promise<ClientRow> {
    if (client_id === undefined)
      throw new Refusal('oauth.invalid_client').because('Send client_id, and client_secret unless the client is public');
    const client = await this.proven(client_id, client_secret);
    identifyInitiator({ client_id });
    return client;
  }

  private async proven(client_id: string, client_secret: string | undefined): Promise<ClientRow> {
    const followed = await this.followed.clientOf(client_id);
    if (this.isProven(followed, client_secret)) return followed!;
    const client = await this.clients.clientOf(client_id);
    if (!this.isProven(client, client_secret)) throw new Refusal('oauth.invalid_client');
    return client!;
  }

  /** A public client has no secret and sends none; an unknown or disabled one is compared as well, which takes as long. */
  private isProven(client: ClientRow | undefined, secret: string | undefined): boolean {
    const matches = secretMatches(this.pepper, secret ?? '', client?.secret_hash ?? undefined);
    if (client?.disabled) return false;
    return client?.secret_hash === null ? secret === undefined : matches;
  }
}
