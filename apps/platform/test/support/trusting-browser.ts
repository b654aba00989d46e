import { identity } from '@codase/contracts';
import type { Company, Person, World } from '@codase/testing';
import { browses, proof, type phone } from './oauth-visitor.ts';

type App = ReturnType<typeof phone>;

/** A browser with its cookies, in which users sign in. */
export class TrustingBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly world: World,
    private readonly userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  ) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set(cookie: string): void {
    const [name, value] = cookie.split(';')[0]!.split('=');
    this.cookies.set(name!, value!);
  }

  /** Submits the password on the page. Returns what the page answers, and with which step it asks for a code. */
  async enters({ email, password }: Pick<Person, 'email' | 'password'>, app: App) {
    const { client_id, redirect_uri } = app;
    const pkce = { code_challenge: proof().code_challenge, code_challenge_method: 'S256' };
    const form = { client_id, redirect_uri, response_type: 'code', state: 'xyz', ...pkce };
    const answer = await this.posts({ ...form, email, password });
    return { ...answer, form, step: /name="step" value="([^"]+)"/.exec(answer.html)?.[1] };
  }

  /** Signs in with password and code, and lets the platform trust the browser. Returns the header that sets the cookie. */
  async isTrusted(user: Person | Company, app: App, code?: string): Promise<string> {
    const { form, step } = await this.enters(user, app);
    const answer = await this.posts({ ...form, step: step!, code: code ?? (await user.secondFactor.nextCode()), trust_browser: 'yes' });
    const [cookie] = [answer.headers['set-cookie'] ?? []].flat();
    if (answer.status !== 303 || cookie === undefined) throw new Error('the browser was not trusted');
    this.set(cookie);
    return cookie;
  }

  /** Whether the password alone signs in. */
  async skipsCode(user: Pick<Person, 'email' | 'password'>, app: App): Promise<boolean> {
    const { status, step } = await this.enters(user, app);
    if (status !== 303 && step === undefined) throw new Error('the password was not taken');
    return status === 303;
  }

  posts(form: Record<string, string>) {
    const headers = { 'user-agent': this.userAgent, ...(this.cookies.size > 0 && { cookie: this.cookie }) };
    return browses(`${this.world.frontDoorUrl}${identity.authorize.path}`, form, headers);
  }
}
