import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, Refusal, type access } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count } from '@cds/runtime/telemetry';
import { signToken, type SigningKey } from './access-token.ts';
import { secretMatches, type Pepper } from './client-secret.ts';
import { ClientsStore, type StoredClient } from './clients.store.ts';
import { apiUrlOf, BASES, type Bases } from './regions.ts';

export const SIGNING_KEY = Symbol('SigningKey');
export const PEPPER = Symbol('Pepper');

interface TokenRequest {
  grant_type: string;
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

@Injectable()
export class TokensService {
  constructor(
    @Inject(ClientsStore) private readonly clients: ClientsStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
    @Inject(PEPPER) private readonly pepper: Pepper,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  /** The client_credentials grant. It writes nothing. @spec D1-5.2 */
  async issue({ grant_type, client_id, client_secret }: TokenRequest): Promise<access.TokenResponse> {
    if (grant_type !== 'client_credentials') throw new Refusal('oauth.unsupported_grant_type');
    const client = await this.authenticated(client_id, client_secret);
    const api_url = apiUrlOf(this.bases, client.region);
    if (!api_url) throw new Error('a client lives in a region this front door does not know');
    count('tokensIssued', { 'cds.region': client.region });
    return { token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, access_token: this.tokenFor(client), api_url };
  }

  private async authenticated(client_id: string | undefined, secret: string | undefined): Promise<StoredClient> {
    if (client_id === undefined || secret === undefined) throw new Refusal('oauth.invalid_client').because('Send client_id and client_secret');
    const client = await this.clients.find(client_id);
    if (!secretMatches(this.pepper, secret, client?.secret_hash)) throw new Refusal('oauth.invalid_client');
    return client!;
  }

  /** An account client acts as its company; a service client as itself. @spec D1-5.2 */
  private tokenFor({ kind, client_id, company_user_id, epoch }: StoredClient): string {
    const sub = kind === 'account' ? company_user_id : client_id;
    return signToken(this.key, this.clock.now(), { iss: this.bases.front_door_url, sub, client_id, gen: epoch, jti: randomUUID() });
  }
}
