import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RelyingParty, SignedIn, SignInChecks } from './relying-party.ts';
import { Sessions } from './sessions.ts';

interface PageParts {
  relyingParty: Pick<RelyingParty, 'begin' | 'finish'>;
  open(claim_values: Readonly<Record<string, string>>): Promise<Record<string, unknown>>;
  /** Whether browsers reach the page by https. */
  isSecure: boolean;
}

interface Visit {
  response: ServerResponse;
  search: string;
  cookie: string;
}

/** The page of a company on which a person signs in with the account, and sees what was shared. */
export class Page {
  private readonly parts: PageParts;
  /** Apart from the persons who have signed in: anybody may begin, as often as they like. */
  private readonly begun = new Sessions<SignInChecks>({ seconds: 900 });
  private readonly persons = new Sessions<SignedIn>({ seconds: 3600 });
  private readonly routes: Readonly<Record<string, (visit: Visit) => Promise<void> | void>> = {
    'GET /': (visit) => this.show(visit),
    'GET /sign-in': (visit) => this.begin(visit),
    'GET /back': (visit) => this.finish(visit),
    'POST /sign-out': (visit) => this.end(visit),
  };

  constructor(parts: PageParts) {
    this.parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [pathname, search = ''] = (request.url ?? '/').split('?', 2);
    const route = this.routes[`${request.method} ${pathname}`];
    if (!route) return answer(response, 404, 'There is no such page.');
    const cookie = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    try {
      await route({ response, search, cookie });
    } catch {
      answer(response, 503, 'That did not work. Please try again in a moment.');
    }
  }

  /** Opens the claims when they are shown: until then they stay sealed, so nothing is lost while the decryptor cannot be reached. */
  private async show({ response, cookie }: Visit): Promise<void> {
    const person = this.persons.find(cookie);
    if (!person) return answer(response, 200, '<a href="/sign-in">Sign in</a>');
    const claims = await this.parts.open(person.claim_values);
    const lines = Object.entries(claims).map(([slug, value]) => `<dt>${escaped(slug)}</dt><dd>${escaped(inWords(value))}</dd>`);
    const signOut = '<form method="post" action="/sign-out"><button>Sign out</button></form>';
    answer(response, 200, `<p>You are ${escaped(person.sub)}.</p><dl>${lines.join('')}</dl>${signOut}`);
  }

  private async begin({ response, cookie }: Visit): Promise<void> {
    const { url, checks } = await this.parts.relyingParty.begin();
    this.persons.remove(cookie);
    this.lead(response, url.href, this.begun.add(checks));
  }

  private async finish({ response, search, cookie }: Visit): Promise<void> {
    const checks = this.begun.find(cookie);
    if (!checks) return answer(response, 400, 'This browser has not begun to sign in.');
    this.begun.remove(cookie); // what a sign-in is recognised by counts once
    const person = await this.parts.relyingParty.finish(search, checks).catch(() => undefined);
    if (!person) return answer(response, 400, 'You are not signed in. <a href="/sign-in">Try again</a>');
    this.lead(response, '/', this.persons.add(person));
  }

  private end({ response, cookie }: Visit): void {
    this.persons.remove(cookie);
    this.lead(response, '/', '');
  }

  /** Leads the browser on with a new cookie: one that somebody else has put there before is worth nothing. */
  private lead(response: ServerResponse, location: string, session: string): void {
    const cookie = `session=${session}; Path=/; HttpOnly; SameSite=Lax${this.parts.isSecure ? '; Secure' : ''}`;
    response.writeHead(303, { location, 'set-cookie': session ? cookie : `${cookie}; Max-Age=0`, 'cache-control': 'no-store' }).end();
  }
}

function answer(response: ServerResponse, status: number, html: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  response.writeHead(status, headers).end(`<!doctype html><title>Acme</title>${html}\n`);
}

/** The value of a claim: text, or the content of its JSON, such as an address. */
const inWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
