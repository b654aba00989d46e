import { Backend, Company, Person, Stranger, type UserParts } from '@codase/actors';
import { account, identity, KEY_WRAP, type Request } from '@codase/contracts';
import type { Provision } from '@codase/platform';
import { clientSecret, passwordOf, privateKeyOf, type CredentialFactory } from './demo.ts';
import type { Ports, RegionName } from './layout.ts';
import type { Secrets } from './secrets.ts';
import { firstPartyRedirects, frontDoorUrl } from './units.ts';

/** The data of a new account. Members that are left out get made-up values. */
export interface SignUp<T extends 'person' | 'company'> {
  type: T;
  region?: RegionName;
  email?: string;
  password?: string;
  display_name?: string;
  language?: string;
}

/** The credentials of a client, and the service it is bound to. */
export interface RegisteredClient {
  client_id: string;
  client_secret: string;
  service_id?: string | null;
}

type ReadsCode = (sign_up_id: string) => Promise<string>;
const noMails: ReadsCode = () => Promise.reject(new Error('nobody here reads mails, so nobody can sign up'));

type Actor = Person | Company | Backend;
/** The class of actor for an account's type. */
export type UserOf<T> = T extends 'person' ? Person : Company;

/** All actors on a stack, in the demo or in a test. Each actor is made once, so that it keeps its token. */
export class StackActors {
  private readonly actors = new Map<string, Actor>();
  private readonly frontDoorUrl: string;
  private signedUp = 0;

  constructor(
    private readonly ports: Ports,
    private readonly secrets: Secrets,
    private readonly people: readonly Provision[],
    private readonly credentials: CredentialFactory,
    private readonly codeOf: ReadsCode = noMails,
  ) {
    this.frontDoorUrl = frontDoorUrl(ports);
  }

  person(share_code: string): Person {
    const known = this.known(share_code, 'person');
    return this.actor(known.user_id, () => this.personOf(known));
  }

  company(share_code: string): Company {
    const known = this.known(share_code, 'company');
    return this.actor(known.user_id, () => this.companyOf(known));
  }

  /** Returns the backend of a demo company with one of its clients. */
  backend(client_id: string): Backend {
    const isIt = (client: { client_id: string }) => client.client_id === client_id;
    const { profile, services = [], clients = [] } = this.people.find((entry) => entry.clients?.some(isIt))!;
    const { service_id } = clients.find(isIt)!;
    const { public_key } = services.find((service) => service.service_id === service_id) ?? profile;
    const keys = { ...privateKeyOf(this.secrets, service_id ?? profile.user_id), public_key };
    const parts = { client_id, client_secret: clientSecret(this.secrets, client_id), company_user_id: profile.user_id, service_id, keys };
    return this.actor(client_id, () => new Backend(this.frontDoorUrl, parts));
  }

  /** Returns a backend whose client was registered during the test. It opens values that are sealed to its company. */
  backendOf({ user_id, keys }: Company, { service_id = null, ...credentials }: RegisteredClient): Backend {
    return new Backend(this.frontDoorUrl, { ...credentials, company_user_id: user_id, service_id, keys });
  }

  /** Creates an account over HTTP, and signs in to learn its share code. */
  async signsUp<T extends 'person' | 'company'>({ type, region = 'eu', ...wanted }: SignUp<T>): Promise<UserOf<T>> {
    const nth = ++this.signedUp;
    const { encrypted_private_key, ...keys } = await this.credentials.key(type);
    const madeUp = { email: `${type}-${nth}@world.example`, display_name: `The ${type} ${nth}` };
    const wishes = { ...madeUp, password: this.credentials.password(), language: 'en', ...wanted };
    const wrapped = { ...encrypted_private_key, iter: KEY_WRAP.iterations };
    const body = { type, region, ...wishes, public_key: keys.public_key, encrypted_private_key: wrapped };
    const { user_id } = await this.createsAccount(body);
    const user = this.userOf(type, { ...wishes, user_id, region, keys, share_code: '' });
    user.share_code = (await user.asks(account.readProfile, {})).share_code;
    return user;
  }

  /** Signs up and confirms the address with the mailed code. */
  private async createsAccount(body: Request<typeof identity.signUp>['body']): Promise<{ user_id: string }> {
    const stranger = new Stranger(this.frontDoorUrl);
    const { sign_up_id } = await stranger.asks(identity.signUp, { body });
    const code = await this.codeOf(sign_up_id);
    return stranger.asks(identity.confirmSignUp, { params: { signUpId: sign_up_id }, body: { code } });
  }

  private known(share_code: string, type: 'person' | 'company'): UserParts {
    const found = this.people.find(({ profile }) => profile.share_code === share_code && profile.type === type);
    if (!found) throw new Error(`no ${type} here has the share code ${share_code}`);
    const { profile } = found;
    const keys = { ...privateKeyOf(this.secrets, profile.user_id), public_key: profile.public_key };
    return { ...profile, password: passwordOf(this.secrets, profile.user_id), keys };
  }

  private userOf<T extends 'person' | 'company'>(type: T, parts: UserParts): UserOf<T> {
    return (type === 'person' ? this.personOf(parts) : this.companyOf(parts)) as UserOf<T>;
  }

  private personOf(parts: UserParts): Person {
    return new Person(this.frontDoorUrl, { client_id: 'app_person', redirect_uri: firstPartyRedirects(this.ports).app_person[0]! }, parts);
  }

  private companyOf(parts: UserParts): Company {
    return new Company(this.frontDoorUrl, { client_id: 'app_portal', redirect_uri: firstPartyRedirects(this.ports).app_portal[0]! }, parts);
  }

  private actor<A extends Actor>(name: string, make: () => A): A {
    const actor = (this.actors.get(name) as A | undefined) ?? make();
    this.actors.set(name, actor);
    return actor;
  }
}
