import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, Refusal, type access } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count } from '@cds/runtime/telemetry';
import { CLIENT_LOOKUP, type ClientLookup, type ClientRow } from '../clients/client-row.ts';
import { PEPPER, secretMatches, type Pepper } from '../clients/client-secret.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../regions.ts';
import { SIGNING_KEY, signToken, type SigningKey } from './access-token.ts';

interface TokenRequest {
  grant_type: string;
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

@Injectable()
export class TokensService {
  constructor(
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
    @Inject(PEPPER) private readonly pepper: Pepper,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /** The client_credentials grant. It writes nothing. @spec D1-5.2 */
  async issue({ grant_type, client_id, client_secret }: TokenRequest): Promise<access.TokenResponse> {
    if (grant_type !== 'client_credentials') throw new Refusal('oauth.unsupported_grant_type');
    const client = await this.authenticated(client_id, client_secret);
    const api_url = this.here.base === 'front-door' ? apiUrlOf(this.bases, client.region!) : undefined;
    count('tokensIssued', { 'cds.region': client.region! });
    return { token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, access_token: this.tokenFor(client), ...(api_url && { api_url }) };
  }

  private async authenticated(client_id: string | undefined, secret: string | undefined): Promise<ClientRow> {
    if (client_id === undefined || secret === undefined) throw new Refusal('oauth.invalid_client').because('Send client_id and client_secret');
    const client = await this.clients.clientOf(client_id);
    if (!secretMatches(this.pepper, secret, client?.secret_hash ?? undefined)) throw new Refusal('oauth.invalid_client');
    return client!;
  }

  /** An account client acts as its company; a service client as itself. @spec D1-5.2 */
  private tokenFor({ kind, client_id, company_user_id, epoch }: ClientRow): string {
    const sub = kind === 'account' ? company_user_id! : client_id;
    return signToken(this.key, this.clock.now(), { iss: this.bases.front_door_url, sub, client_id, gen: epoch, jti: randomUUID() });
  }
}
