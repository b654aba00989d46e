import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Callers, type Endpoint } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Authenticator } from '@cds/runtime/http';
import { verifyToken, type SigningKey } from './access-token.ts';
import type { ClientRow } from './clients.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from './regions.ts';
import { SIGNING_KEY } from './tokens.service.ts';

/** Where a base looks a client up: the front door in its registry, a region in what it follows of it. */
export interface ClientLookup {
  clientOf(client_id: string): Promise<ClientRow | undefined>;
}
export const CLIENT_LOOKUP = Symbol('ClientLookup');

/** Turns a bearer token into a caller, or refuses. @spec D1-5.3 @spec D1-5.6 */
@Injectable()
export class TokenAuthenticator implements Authenticator {
  constructor(
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  async authenticate(contract: Endpoint, authorization: string | undefined): Promise<Callers['service' | 'account']> {
    const client = await this.clientOf(authorization);
    if (this.here.base === 'region' && client.region !== this.here.region) throw this.rebase(client);
    if (!contract.callers.includes(client.kind)) throw new Refusal('auth.client_endpoint_forbidden');
    return callerOf(client);
  }

  /** A route of another base: the front door's are for anyone, a region's depend on where the client lives. */
  async pointElsewhere(contract: Endpoint, authorization: string | undefined): Promise<never> {
    if (contract.at.includes('front-door')) throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
    throw this.rebase(await this.clientOf(authorization));
  }

  private async clientOf(authorization: string | undefined): Promise<ClientRow> {
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
    const claims = token && verifyToken(this.key, this.clock.now(), token);
    const client = claims && (await this.clients.clientOf(claims.client_id));
    if (!client || client.epoch !== claims.gen) throw new Refusal('auth.token_invalid');
    return client;
  }

  private rebase({ region }: ClientRow): Refusal {
    const api_url = apiUrlOf(this.bases, region);
    return api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}

function callerOf({ kind, client_id, company_user_id, service_id }: ClientRow): Callers['service' | 'account'] {
  if (kind === 'account') return { kind, client_id, company_user_id };
  return { kind, client_id, company_user_id, service_id: service_id! };
}
