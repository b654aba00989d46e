import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Endpoint, type Output, type Request } from '@cds/contracts';
import { ApiClient } from '@cds/runtime/http';
import { count } from '@cds/runtime/telemetry';
import type { HeldToken } from '../tokens/held-token.ts';
import { TokensService } from '../tokens/tokens.service.ts';

/** Sends a service's calls to its home region. */
@Injectable()
export class RoutingService {
  constructor(@Inject(TokensService) private readonly tokens: TokensService) {}

  /** A refused token is replaced once; a wrong base is corrected once, and a second 421 is an error, not a loop. @spec D1-5.6 */
  async call<E extends Endpoint>(service: string, contract: E, request: Request<E>): Promise<Output<E>> {
    const token = await this.tokens.tokenFor(service);
    try {
      return await this.atHome(service, token, contract, request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.key !== 'auth.token_invalid') throw error;
      this.tokens.refused(service, token);
      return this.atHome(service, await this.tokens.tokenFor(service), contract, request);
    }
  }

  private async atHome<E extends Endpoint>(service: string, token: HeldToken, contract: E, request: Request<E>): Promise<Output<E>> {
    try {
      return await send(token, contract, request);
    } catch (error) {
      const api_url = newBase(error);
      if (!api_url) throw error;
      count('rebased', { 'cds.service': service });
      return send(this.tokens.moved(service, token, api_url), contract, request);
    }
  }
}

const send = <E extends Endpoint>({ api_url, access_token }: HeldToken, contract: E, request: Request<E>) => new ApiClient(api_url, { token: access_token }).call(contract, request);

const newBase = (error: unknown): string | undefined =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? (error.extras as { api_url?: string }).api_url : undefined;
