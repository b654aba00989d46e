import { companyData, TokenResponse, tokens, type Output } from '@codase/contracts';
import { AsCustomer } from './as-customer.ts';
import { Challenges } from './challenges.ts';
import { IssuedDocuments } from './documents.ts';
import { Feed } from './feed.ts';
import { ServiceRuns } from './flow-runs.ts';
import { invites } from './invitations.ts';
import { opens, seals, type Keys, type Recipient } from './keys.ts';
import { ServiceMessages } from './messages.ts';
import { Recovery } from './recovery.ts';
import { TokenHolder } from './token-holder.ts';

export interface BackendParts {
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
  readonly feed: Feed;
  readonly challenges: Challenges;
  readonly documents: IssuedDocuments;
  readonly messages: ServiceMessages;
  readonly flows: ServiceRuns;
  /** What the company does as a customer, for an account client. */
  readonly asCustomer: AsCustomer;
  /** What the company does to recover secrets later, for an account client. */
  readonly recovery: Recovery;
  readonly keys: Keys;

  constructor(frontDoorUrl: string, { client_id, client_secret, company_user_id, service_id, keys }: BackendParts) {
    super(frontDoorUrl);
    this.client_id = client_id;
    this.client_secret = client_secret;
    this.company_user_id = company_user_id;
    this.service_id = service_id;
    this.keys = keys;
    this.public_key = keys.public_key;
    this.feed = new Feed(this);
    this.challenges = new Challenges(this);
    this.documents = new IssuedDocuments(this);
    this.messages = new ServiceMessages(this);
    this.flows = new ServiceRuns(this);
    this.asCustomer = new AsCustomer(this);
    this.recovery = new Recovery(this);
  }

  /** Gets a new token and asks `whoami`, at the home region by default. */
  async asksWhoami({ at }: { at?: string } = {}): Promise<Output<typeof companyData.whoami>> {
    await this.getsToken();
    return this.asks(companyData.whoami, {}, { ...(at && { at }) });
  }

  /** Asks a person to connect to the service. @spec D1-4.2 */
  invites(person: { share_code: string }, message?: string): Promise<{ request_id: string }> {
    return invites(this, person, message);
  }

  /** Opens a value that was sealed to the service. */
  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }

  /** Seals a text to a person. */
  sealsFor(recipient: Recipient, text: string): Promise<string> {
    return seals(recipient, text);
  }

  /** Exchanges the credentials for a token at the front door. @spec D1-5.2 */
  protected requestToken(): Promise<TokenResponse> {
    const { client_id, client_secret } = this;
    return this.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  }
}
