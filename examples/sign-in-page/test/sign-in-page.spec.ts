import { freePort } from '@codase/servers';
import { World, type Person, type SignInAppOnce } from '@codase/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const GUIDE = new URL('../../../docs/guides/sign-in-apps.md', import.meta.url);
const USER = 'sign-in-page';
const CLAIMS = [
  { slug: 'email', label: 'E-mail', type: 'email' },
  { slug: 'born', label: 'Date of birth', type: 'date' },
];

/** A browser with its cookies, which follows no redirect by itself. */
class Browser {
  private readonly cookies = new Map<string, string>();

  async get(url: URL | string): Promise<{ status: number; html: string; location: URL | undefined }> {
    return this.asks(url, {});
  }

  /** Fills the form of a page, and submits it. */
  async submits(url: URL | string, html: string, fields: Record<string, string> = {}) {
    const hidden = [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, unescaped(value!)]);
    const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? '';
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
    return this.asks(new URL(unescaped(action), url), { method: 'POST', body });
  }

  /** The cookie header for a host; cookies do not look at ports. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(text: string) {
    this.cookies.clear();
    for (const pair of text.split('; ')) this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }

  private async asks(url: URL | string, init: RequestInit) {
    const headers = { accept: 'text/html', cookie: this.cookie };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    return { status: answer.status, html: await answer.text(), location: location === null ? undefined : new URL(location, url) };
  }
}

const unescaped = (text: string) => text.replaceAll('&amp;', '&');

/** The example as it runs: a process of its own, whose user on the bus has the right to values of the account and no other. */
describe("a company's page on which persons sign in @gap D1-4.6", () => {
  let world: World;
  let ana: Person;
  let app: SignInAppOnce;
  let page: string;
  let example: ChildProcess;
  let output = '';
  beforeAll(async () => {
    world = await World.open({
      units: ['front-door', 'region-eu', 'region-us'],
      neighbours: [{ user: USER, services: [], account: true }],
    });
    await world.starts('decryptor', { CALLERS: JSON.stringify({ [USER]: { account: true } }) });
    ana = world.person('ANA');
    const port = await freePort();
    page = `http://127.0.0.1:${port}`;
    app = await world.acme.signInApps.creates({ redirect_uris: [`${page}/back`], claims: CLAIMS });
    const { url, user, password } = world.addressOf(USER);
    example = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'],
        FRONT_DOOR_URL: world.frontDoorUrl,
        CLIENT_ID: app.client_id,
        CLIENT_SECRET: app.client_secret,
        PAGE_URL: page,
        CLAIM_TYPES: JSON.stringify(Object.fromEntries(CLAIMS.map(({ slug, type }) => [slug, type]))),
        NATS_URL: url,
        NATS_USER: user,
        NATS_PASSWORD: password,
        PORT: String(port),
      },
    });
    const serving = new Promise<void>((resolve, reject) => {
      for (const stream of [example.stdout!, example.stderr!])
        stream.on('data', (text: Buffer) => {
          output += String(text);
          if (output.includes('serving ')) resolve();
        });
      example.once('exit', () => reject(new Error(`the example ended: ${output}`))); // changes nothing once it serves
    });
    await serving;
  });
  afterAll(async () => {
    example?.kill('SIGKILL');
    await world?.close();
  });

  /** Lets a person sign in at the front door, up to the address that leads back to the page. */
  async function goesThrough(browser: Browser, born = '1990-04-01'): Promise<URL> {
    const begun = await browser.get(`${page}/sign-in`);
    const form = await browser.get(begun.location!);
    const waiting = (await browser.submits(begun.location!, form.html, { email: ana.email, password: ana.password, decision: 'allow' }))
      .location!;
    const signIn = (await ana.phone.signIns()).at(-1)!;
    const sealed = (text: string) => ana.sealsFor(signIn as never, text);
    await ana.phone.approvesSignIn(signIn.id, { email: await sealed('ana@example.org'), born: await sealed(born) });
    const answered = await browser.get(waiting);
    return (await browser.submits(waiting, answered.html)).location!;
  }

  it('shows who signed in and the shared claims, which the decryptor has opened', async () => {
    const browser = new Browser();
    expect((await browser.get(page)).html).toContain('href="/sign-in"');

    const back = await goesThrough(browser);
    expect(await browser.get(back)).toMatchObject({ status: 303, location: new URL('/', page) });
    const { html } = await browser.get(page);

    expect(html).toContain('<dd>ana@example.org</dd>');
    expect(html).toContain('<dd>1990-04-01</dd>');
    expect(html).toMatch(/You are [\w-]+\./);
    await browser.submits(page, html);
    expect((await browser.get(page)).html).not.toContain('ana@example.org');
    expect(output).not.toContain('ana@example.org');
  });

  it('omits a claim that does not fit its type', async () => {
    const browser = new Browser();
    await browser.get(await goesThrough(browser, '<script>alert(1)</script>'));

    const { html } = await browser.get(page);

    expect(html).toContain('<dd>ana@example.org</dd>');
    expect(html).not.toContain('born');
    expect(html).not.toContain('<script>');
  });

  it('answers 503 while the decryptor is down, and shows the claims afterwards', async () => {
    const browser = new Browser();
    await browser.get(await goesThrough(browser));
    await world.stop('decryptor');

    expect(await browser.get(page)).toMatchObject({ status: 503 });
    await world.starts('decryptor', { CALLERS: JSON.stringify({ [USER]: { account: true } }) });

    expect((await browser.get(page)).html).toContain('<dd>ana@example.org</dd>');
  });

  it('refuses a sign-in of another browser, a repeated one, and a forged answer', async () => {
    const [victim, thief] = [new Browser(), new Browser()];
    const back = await goesThrough(victim);
    await thief.get(`${page}/sign-in`);

    expect((await new Browser().get(back)).status).toBe(400);
    expect((await thief.get(back)).status).toBe(400);
    const forged = new URL(back);
    forged.searchParams.set('iss', 'https://evil.example');
    expect((await victim.get(forged)).status).toBe(400);
    expect((await victim.get(back)).status).toBe(400); // the checks of a sign-in count once

    for (const browser of [victim, thief]) expect((await browser.get(page)).html).toContain('href="/sign-in"');
  });

  it("replaces the browser's cookie when the person has signed in", async () => {
    const browser = new Browser();
    const back = await goesThrough(browser);
    const { cookie } = browser;
    await browser.get(back);
    const other = new Browser();
    other.cookie = cookie;

    expect(browser.cookie).not.toBe(cookie);
    expect((await other.get(page)).html).toContain('href="/sign-in"');
  });

  it.each(['//', '/back', '/nowhere', '/constructor', '/?%zz'])('stays up when a client requests %s', async (path) => {
    const signIn = request({ port: new URL(page).port, path, headers: { cookie: 'session=../..; session=__proto__' } }).end();
    const [answer] = (await once(signIn, 'response')) as [IncomingMessage];
    answer.resume();

    expect([200, 400, 404]).toContain(answer.statusCode);
  });

  it('lets a person who refused try again', async () => {
    const browser = new Browser();
    await browser.get(`${page}/sign-in`);

    const answer = await browser.get(`${page}/back?error=access_denied&state=x&iss=${encodeURIComponent(world.frontDoorUrl)}`);

    expect(answer).toMatchObject({ status: 400, html: expect.stringContaining('Try again') });
  });

  it('opens claims exactly as the guide shows', () => {
    const source = readFileSync(new URL('../src/claims.ts', import.meta.url), 'utf8');

    expect(readFileSync(GUIDE, 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\`\n`);
  });

  it('exits in order on SIGTERM', async () => {
    const ended = once(example, 'exit');
    example.kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
  });
});
