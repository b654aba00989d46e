import { createHash, randomBytes } from 'node:crypto';
import { identity, TokenResponse, tokens } from '@codase/contracts';
import { AsCustomer } from './as-customer.ts';
import { Connections } from './connections.ts';
import { Delegates, Delegations } from './delegates.ts';
import { ReceivedDocuments } from './documents.ts';
import { Fields } from './fields.ts';
import { CustomerRuns } from './flow-runs.ts';
import { Flows } from './flows.ts';
import { Invitations } from './invitations.ts';
import { KeyLogs } from './key-logs.ts';
import { opens, seals, type Keys, type Recipient } from './keys.ts';
import { CustomerMessages } from './messages.ts';
import { Phone } from './phone.ts';
import { Photos } from './photos.ts';
import { Recovery } from './recovery.ts';
import { SecondFactor, SECOND_FACTOR_ROUTES } from './second-factor.ts';
import { Services } from './services.ts';
import { SignInApps } from './sign-in-apps.ts';
import { TokenHolder } from './token-holder.ts';

export interface UserParts {
  user_id: string;
  email: string;
  password: string;
  display_name: string;
  share_code: string;
  /** The user's first home region. */
  region: string;
  keys: Keys;
}

/** The first-party app that a user signs in with, and the address that the browser is sent back to. */
interface App {
  client_id: 'app_portal' | 'app_person';
  redirect_uri: string;
}

/** A user, who signs in on first use as a browser would. Each capability is a facet in its own file: `ana.fields.edits(…)`. */
export class User extends TokenHolder {
  readonly user_id: string;
  readonly email: string;
  readonly password: string;
  readonly display_name: string;
  share_code: string;
  readonly region: string;
  readonly public_key: string;
  readonly keys: Keys;
  readonly keyLogs = new KeyLogs(this);
  readonly connections = new Connections(this);
  readonly fields = new Fields(this);
  readonly delegations = new Delegations(this);
  readonly photos = new Photos(this);
  readonly secondFactor: SecondFactor;

  constructor(
    frontDoorUrl: string,
    private readonly app: App,
    { user_id, email, password, display_name, share_code, region, keys }: UserParts,
  ) {
    super(frontDoorUrl);
    this.user_id = user_id;
    this.email = email;
    this.password = password;
    this.display_name = display_name;
    this.share_code = share_code;
    this.region = region;
    this.keys = keys;
    this.public_key = keys.public_key;
    this.secondFactor = new SecondFactor(this, SECOND_FACTOR_ROUTES[app.client_id === 'app_portal' ? 'company' : 'person']);
  }

  /** Signs in at the front door again. Later calls use the new tokens. */
  signsIn(): Promise<TokenResponse> {
    return this.getsToken();
  }

  /** Seals a value, as a phone or the portal's page does before sharing it. */
  sealsFor(recipient: Recipient, text: string): Promise<string> {
    return seals(recipient, text);
  }

  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }

  /** Signs in by the authorization code flow with PKCE: page, form, redirect with a code, tokens. @spec D1-4.1 @spec D1-5.5 */
  protected async requestToken(): Promise<TokenResponse> {
    const { client_id, redirect_uri } = this.app;
    const code_verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const state = randomBytes(8).toString('hex');
    const query = { client_id, redirect_uri, response_type: 'code', state, code_challenge, code_challenge_method: 'S256' } as const;

    await this.asks(identity.beginAuthorization, { query });
    const location = await this.secondFactor.submits({ ...query, email: this.email, password: this.password });
    const code = codeFrom(location, query);
    return this.asks(tokens.issueToken, { body: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier } });
  }
}

/** A person with a phone. Only the phone can open values that are sealed to the person. */
export class Person extends User {
  readonly phone = new Phone(this);
  readonly documents = new ReceivedDocuments(this);
  readonly messages = new CustomerMessages(this);
  readonly flows = new CustomerRuns(this);
  readonly invitations = new Invitations(this);
}

/** A company at the portal. */
export class Company extends User {
  readonly services = new Services(this);
  readonly delegates = new Delegates(this);
  readonly signInApps = new SignInApps(this);
  readonly flows = new Flows(this);
  readonly recovery = new Recovery(this);
  readonly asCustomer = new AsCustomer(this);
}

function codeFrom(location: string, { redirect_uri, state }: { redirect_uri: string; state: string }): string {
  const { searchParams } = new URL(location);
  const code = searchParams.get('code');
  const isWayBack = location.startsWith(redirect_uri) && searchParams.get('state') === state;
  if (!isWayBack || !code) throw new Error('signing in did not lead back with a code and the state it began with');
  return code;
}
