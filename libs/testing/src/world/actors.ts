import { access, companyData, type Endpoint, type Output, type Request } from '@cds/contracts';
import { importValuePublicKey, sealValue } from '@cds/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@cds/crypto/open';
import { ApiClient } from '@cds/runtime/http';
import { recordExchange } from './door-log.ts';

/** An owner of keys: the public half is known to all, the private half opens with its passphrase. */
export interface Keys {
  public_key: string;
  pem: string;
  passphrase: string;
}

const opens = async ({ pem, passphrase }: Keys, wrapper: string) => openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, passphrase)), wrapper);
const seals = async (to: string, text: string) => sealValue(await importValuePublicKey(to), text);

/** Anyone with an HTTP client. */
export class Stranger {
  readonly frontDoorUrl: string;

  constructor(frontDoorUrl: string) {
    this.frontDoorUrl = frontDoorUrl;
  }

  /** Calls an endpoint as its contract says, and leaves a note of how it went. */
  asks<E extends Endpoint>(contract: E, request: Request<E>, { at = this.frontDoorUrl, token }: { at?: string; token?: string } = {}): Promise<Output<E>> {
    return new ApiClient(at, { ...(token !== undefined && { token }), onExchange: recordExchange }).call(contract, request);
  }
}

export interface BackendParts {
  client_id: string;
  client_secret: string;
  company_user_id: string;
  /** Of the service a data client is bound to; null for an account client. */
  service_id: string | null;
  keys: Keys;
}

/** A company's backend, with the credentials of one client and the private key of its service. */
export class Backend extends Stranger {
  readonly client_id: string;
  readonly client_secret: string;
  readonly company_user_id: string;
  readonly service_id: string | null;
  readonly public_key: string;
  private readonly keys: Keys;

  constructor(frontDoorUrl: string, { client_id, client_secret, company_user_id, service_id, keys }: BackendParts) {
    super(frontDoorUrl);
    this.client_id = client_id;
    this.client_secret = client_secret;
    this.company_user_id = company_user_id;
    this.service_id = service_id;
    this.keys = keys;
    this.public_key = keys.public_key;
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

  /** Opens what somebody sealed to the service. */
  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }

  /** Seals a text to a person. */
  sealsFor(person: Person, text: string): Promise<string> {
    return seals(person.public_key, text);
  }
}

export interface Identity {
  user_id: string;
  display_name: string;
  share_code: string;
  region: string;
}

/** A person with a phone: it alone can open what is sealed to them. */
export class Person {
  readonly user_id: string;
  readonly display_name: string;
  readonly share_code: string;
  readonly region: string;
  readonly public_key: string;
  private readonly keys: Keys;

  constructor({ user_id, display_name, share_code, region }: Identity, keys: Keys) {
    this.user_id = user_id;
    this.display_name = display_name;
    this.share_code = share_code;
    this.region = region;
    this.keys = keys;
    this.public_key = keys.public_key;
  }

  /** Seals a value to a service, as a phone does before it shares. */
  sealsFor(backend: Backend, text: string): Promise<string> {
    return seals(backend.public_key, text);
  }

  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }
}
