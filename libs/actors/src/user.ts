import { createHash, randomBytes } from 'node:crypto';
import { access, contactData, customer, type Output } from '@cds/contracts';
import { opens, seals, type Keys, type Recipient } from './keys.ts';
import { TokenHolder } from './token-holder.ts';

export interface UserParts {
  user_id: string;
  email: string;
  password: string;
  display_name: string;
  share_code: string;
  /** Where the user lived at first. */
  region: string;
  keys: Keys;
}

/** Who may sign in, with which first-party app, and where the browser is sent back to. */
export interface App {
  client_id: 'app_portal' | 'app_person';
  redirect_uri: string;
}

/** An answer to a request row: a text to seal, and where it comes from. */
export interface Answer {
  text: string;
  /** The own field whose edits it follows. */
  from?: string;
  live?: boolean;
}

/** Answers by the slugs of the request; a bare text is live and follows nothing. */
export type Answers = Readonly<Record<string, string | Answer>>;
export type OwnConnection = Output<typeof customer.connect>;

/** Somebody with an account, who signs in on first use as a browser would. */
export class User extends TokenHolder {
  readonly user_id: string;
  readonly email: string;
  readonly password: string;
  readonly display_name: string;
  share_code: string;
  readonly region: string;
  readonly public_key: string;
  private readonly app: App;
  readonly keys: Keys;

  constructor(frontDoorUrl: string, app: App, { user_id, email, password, display_name, share_code, region, keys }: UserParts) {
    super(frontDoorUrl);
    this.app = app;
    this.user_id = user_id;
    this.email = email;
    this.password = password;
    this.display_name = display_name;
    this.share_code = share_code;
    this.region = region;
    this.keys = keys;
    this.public_key = keys.public_key;
  }

  /** Signs in at the front door anew; the new tokens are the ones in use from now on. */
  signsIn(): Promise<access.TokenResponse> {
    return this.getsToken();
  }

  /** Seals a value, as a phone or the portal's page does before it shares. */
  sealsFor(recipient: Recipient, text: string): Promise<string> {
    return seals(recipient, text);
  }

  opens(wrapper: string): Promise<string> {
    return opens(this.keys, wrapper);
  }

  /** Connects by COMPANY/SERVICE, with answers sealed to the key on the service's card. @spec D1-5.8 */
  async connects(code: string, answers: Answers = {}): Promise<OwnConnection> {
    const [companyCode = '', serviceCode = ''] = code.split('/');
    const card = await this.asks(customer.readServiceCard, { params: { companyCode, serviceCode } });
    return this.asks(customer.connect, { body: { code, values: await this.answersFor(card, answers) } });
  }

  /** Answers rows of a connection, anew or for the first time. */
  async shares({ id, service }: OwnConnection, answers: Answers): Promise<OwnConnection> {
    const values = await this.answersFor(service, answers);
    return this.asks(customer.changeCustomerConnection, { params: { connectionId: id }, body: { values } });
  }

  drops({ id }: OwnConnection, ...slugs: string[]): Promise<OwnConnection> {
    return this.asks(customer.changeCustomerConnection, { params: { connectionId: id }, body: { drop: slugs } });
  }

  declines({ id }: OwnConnection, ...slugs: string[]): Promise<OwnConnection> {
    return this.asks(customer.changeCustomerConnection, { params: { connectionId: id }, body: { decline: slugs } });
  }

  disconnects({ id }: OwnConnection): Promise<unknown> {
    return this.asks(customer.disconnect, { params: { connectionId: id } });
  }

  /** Sets a private value of the own profile and seals it again for every slot that follows it, as a phone does. @spec D1-6.1 */
  async edits(slug: string, text: string): Promise<void> {
    const { items } = await this.asks(customer.listCustomerConnections, { query: { limit: 200 } });
    const following = items.flatMap(({ id, service, values }) =>
      values
        .filter(({ live, source_field }) => live && source_field === slug)
        .map((value) => ({ connection_id: id, slug: value.slug, service })),
    );
    const copies = await Promise.all(following.map(async ({ service, ...slot }) => ({ ...slot, value: await seals(service, text) })));
    await this.asks(contactData.putContactData, { params: { slug }, body: { value: await seals(this, text), is_private: true, copies } });
  }

  async deletes(slug: string): Promise<void> {
    await this.asks(contactData.deleteContactData, { params: { slug } });
  }

  private answersFor(service: Recipient, answers: Answers) {
    return Promise.all(
      Object.entries(answers).map(async ([slug, answer]) => {
        const { text, from, live = true } = typeof answer === 'string' ? { text: answer } : (answer as Answer);
        return { slug, value: await seals(service, text), live, ...(from !== undefined && { source_field: from }) };
      }),
    );
  }

  /** Authorization code with PKCE: the page, the form, the way back with a code, and the code for tokens. @spec D1-4.1 @spec D1-5.5 */
  protected async requestToken(): Promise<access.TokenResponse> {
    const { client_id, redirect_uri } = this.app;
    const code_verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const state = randomBytes(8).toString('hex');
    const asked = { client_id, redirect_uri, response_type: 'code', state, code_challenge, code_challenge_method: 'S256' } as const;

    await this.asks(access.beginAuthorization, { query: asked });
    const { location } = await this.asks(access.authorize, { body: { ...asked, email: this.email, password: this.password } });
    const code = codeFrom(location, asked);
    return this.asks(access.issueToken, { body: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier } });
  }
}

/** A person with a phone: it alone can open what is sealed to them. */
export class Person extends User {}

/** A company at the portal. */
export class Company extends User {}

function codeFrom(location: string, { redirect_uri, state }: { redirect_uri: string; state: string }): string {
  const { searchParams } = new URL(location);
  const code = searchParams.get('code');
  const isWayBack = location.startsWith(redirect_uri) && searchParams.get('state') === state;
  if (!isWayBack || !code) throw new Error('signing in did not lead back with a code and the state it began with');
  return code;
}
