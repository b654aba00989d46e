import { access, companyData, type Endpoint, type Output, type Request } from '@cds/contracts';
import { ApiClient } from '@cds/runtime/http';
import { recordExchange } from './door-log.ts';

/** Anyone with an HTTP client. */
export class Stranger {
  constructor(readonly frontDoorUrl: string) {}

  /** Calls an endpoint as its contract says, and leaves a note of how it went. */
  asks<E extends Endpoint>(contract: E, request: Request<E>, { at = this.frontDoorUrl, token }: { at?: string; token?: string } = {}): Promise<Output<E>> {
    return new ApiClient(at, { ...(token !== undefined && { token }), onExchange: recordExchange }).call(contract, request);
  }
}

/** A company's backend, with the credentials of one client. */
export class Backend extends Stranger {
  constructor(
    frontDoorUrl: string,
    readonly client_id: string,
    readonly client_secret: string,
    readonly company_user_id: string,
    readonly service_id: string | null,
  ) {
    super(frontDoorUrl);
  }

  /** Exchanges the credentials for a token at the front door. */
  getsToken(): Promise<access.TokenResponse> {
    const { client_id, client_secret } = this;
    return this.asks(access.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  }

  /** Asks who it is, at its home region unless told otherwise. */
  async asksWhoami({ at }: { at?: string } = {}): Promise<Output<typeof companyData.whoami>> {
    const { access_token, api_url } = await this.getsToken();
    return this.asks(companyData.whoami, {}, { at: at ?? api_url!, token: access_token });
  }
}

/** A person, with what a phone knows of itself. */
export interface Person {
  user_id: string;
  display_name: string;
  share_code: string;
  region: string;
}
