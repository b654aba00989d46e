import { companyData, connections, TokenResponse, tokens, type Output } from '@codase/contracts';
import { AsCustomer } from './as-customer.ts';
import { Challenges } from './challenges.ts';
import { IssuedDocuments } from './documents.ts';
import { Feed } from './feed.ts';
import { ServiceRuns } from './flow-runs.ts';
import { opens, seals, type Keys, type Recipient } from './keys.ts';
import { ServiceMessages } from './messages.ts';
import { Recovery } from './recovery.ts';
import { TokenHolder } from './token-holder.ts';

interface BackendParts {
  client_id: string;
  client_secret: string;
  company_user_id: string;
  /** The service that a data client is bound to. Null for an account client. */
  service_id: string | null;
  keys: Keys;
}

/** A company's backend, with the credentials of one client and the private key of its service. */
export class Backend extends TokenHolder {
  readonly client_id: string;
  readonly client_secret: string;
  readonly company_user_id: string;
  readonly service_id: string | null;
  readonly public_key: string;
  readonly keys: Keys;
  readonly feed = new Feed(this);
  readonly challenges = new Challenges(this);
  readonly documents = new IssuedDocuments(this);
  readonly messages = new ServiceMessages(this);
  readonly flows = new ServiceRuns(this);
  /** What the company does as a customer, for an account client. */
  readonly asCustomer = new AsCustomer(this);
  /** What the company does to recover secrets later, for an account client. */
  readonly recovery = new Recovery(this);

  constructor(frontDoorUrl: string, { client_id, client_secret, company_user_id, service_id, keys }: BackendParts) {
    super(frontDoorUrl);
    this.client_id = client_id;
    this.client_secret = client_secret;
    this.company_user_id = company_user_id;
    this.service_id = service_id;
    this.keys = keys;
    this.public_key = keys.public_key;
  }

  /** Gets a new token and asks `whoami`, at the home region by default. */
  async asksWhoami({ at }: { at?: string } = {}): Promise<Output<typeof companyData.whoami>> {
    await this.getsToken();
    return this.asks(companyData.whoami, {}, { ...(at && { at }) });
  }

  /** Asks a person to connect to the service. @spec D1-4.2 */
  invites(person: { share_code: string }, message?: string): Promise<{ request_id: string }> {
    const body = { share_code: person.share_code, ...(message !== undefined && { message }) };
    return this.asks(connections.requestConnection, { body });
  }

  /** Opens a value that was sealed to the service. */
  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }

  sealsFor(recipient: Recipient, text: string): Promise<string> {
    return seals(recipient, text);
  }

  /** Exchanges the credentials for a token at the front door. @spec D1-5.2 */
  protected requestToken(): Promise<TokenResponse> {
    const { client_id, client_secret } = this;
    return this.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  }
}
