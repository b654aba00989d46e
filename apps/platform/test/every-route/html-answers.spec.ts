import { createHash } from 'node:crypto';
import * as contracts from '@codase/contracts';
import { Chromium, findChromium, World } from '@codase/testing';

type Endpoint = contracts.Endpoint;

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'refusals' in value;
/** Every endpoint that may answer HTML. Those that redirect answer a refusal with a page. */
const PAGES = Object.values(contracts)
  .flatMap((value): unknown[] => (typeof value === 'object' && value !== null && !isEndpoint(value) ? Object.values(value) : [value]))
  .filter(isEndpoint)
  .filter(({ produces, isOwnPage }) => produces === 'page' || produces === 'redirect' || isOwnPage)
  .map(({ name, method, path }) => ({ name, method, path: path.replace('{asset}', 'start.js') }));

/** The rules that a page may have beside those that every page has. */
const ALLOWED: Record<string, RegExp> = {
  'default-src': /^'none'$/,
  'base-uri': /^'none'$/,
  'frame-ancestors': /^'none'$/,
  'form-action': /^('none'|'self'( https?:\/\/[\w.:-]+| [a-z.]+:)*)$/,
  'script-src': /^'self'$/,
  'style-src': /^('self'|'sha256-[\w+/=]{44}')$/,
  'img-src': /^'self' data:$/,
  'connect-src': /^'self'( http:\/\/127\.0\.0\.1:\d+)*$/,
};
const rulesOf = (policy: string | null): [string, string][] =>
  (policy ?? '').split('; ').map((rule) => [rule.split(' ', 1)[0]!, rule.slice(rule.indexOf(' ') + 1)]);

describe('every HTML answer', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
  });
  afterAll(() => world?.close());

  const asks = async (base: string, method: string, path: string) => {
    const form = method === 'POST' && { body: 'x=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const answer = await fetch(base + path, {
      method,
      redirect: 'manual',
      ...form,
      headers: { accept: 'text/html', ...(form && form.headers) },
    });
    return { headers: answer.headers, html: await answer.text() };
  };

  it.each(PAGES)('of $name ($method $path) is in no frame, and loads and runs what it names alone', async ({ method, path }) => {
    const answers = [await asks(world.frontDoorUrl, method, path), await asks(world.regionUrl('eu'), method, path)];
    const pages = answers.filter(({ headers }) => /html|javascript/.test(headers.get('content-type') ?? ''));

    expect(pages).toContain(answers[0]);
    for (const { headers, html } of pages) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      const rules = rulesOf(headers.get('content-security-policy'));
      for (const name of ['default-src', 'base-uri', 'frame-ancestors', 'form-action']) expect(rules.map(([rule]) => rule)).toContain(name);
      for (const [name, sources] of rules) expect([name, sources]).toEqual([name, expect.stringMatching(ALLOWED[name] ?? /^never$/)]);
      for (const style of [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, text]) => text!))
        expect(headers.get('content-security-policy')).toContain(createHash('sha256').update(style).digest('base64'));
      expect(html).not.toMatch(/ style="| on[a-z]+="/);
    }
  });

  it('covers the pages that a reader knows', () => {
    expect(PAGES.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/',
        '/docs',
        '/docs/start.js',
        '/verify',
        '/oauth2/authorize',
        '/oauth2/authorize/waiting',
        '/oauth2/authorize/done',
      ]),
    );
  });

  const found = findChromium();
  if (found) {
    it(`keeps its style in ${found.version}`, async () => {
      const browser = await Chromium.open(found.command);
      try {
        await browser.goesTo(`${world.frontDoorUrl}/verify`);

        expect(await browser.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).toBe('416px');
      } finally {
        await browser.close();
      }
    });
  }
});
