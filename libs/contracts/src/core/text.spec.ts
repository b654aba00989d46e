import { refused } from './refused.check.ts';
import {
  PORTABLE_PATTERNS,
  appRedirectUriOr,
  Id,
  IdempotencyKey,
  idempotencyKeyOr,
  idOr,
  Line,
  redirectUriOr,
  ServiceCode,
  text,
} from './text.ts';

describe('text shapes of a request', () => {
  it('an id is one bus subject token, and a malformed id is refused as not found', () => {
    expect(['a', 'conn_7b20', 'x'.repeat(64)].every((id) => refused(Id, id) === undefined)).toBe(true);
    expect(['', 'a b', 'a/b', 'a.b', '*', 'x'.repeat(65), 'a\0'].map((id) => refused(idOr('flows.run_not_found'), id))).toEqual(
      Array(7).fill('flows.run_not_found'),
    );
  });

  it('a line is not blank and contains no control characters', () => {
    expect(['Acme', 'Ærø 7', '株式会社', 'Ana 🌲'].every((line) => refused(Line, line) === undefined)).toBe(true);
    expect(['', '   ', 'a\nb', 'a\0', 'a\ud83d', 'x'.repeat(201)].every((line) => refused(Line, line) === 'request.invalid')).toBe(true);
  });

  it('a text may span several lines and contains only characters that can be stored', () => {
    expect(['', 'a\nb\tc 🌲'].every((one) => refused(text(20), one) === undefined)).toBe(true);
    expect(['a\0', 'a\udf32b'].every((one) => refused(text(20), one) === 'request.invalid')).toBe(true);
  });

  it('an idempotency key is text that is not blank, and one refused by a key of the catalogue says what is expected', () => {
    expect(['k', 'order 7', 'ключ', 'k'.repeat(255)].every((key) => refused(IdempotencyKey, key) === undefined)).toBe(true);
    for (const key of ['', ' ', '\t\n', '\u00a0', 'a\0', 'a\ud83d', 'k'.repeat(256), 7, null]) {
      expect(refused(IdempotencyKey, key)).toBe('request.invalid');
      expect(refused(idempotencyKeyOr('twofa.idempotency_key_required'), key)).toBe('twofa.idempotency_key_required');
    }
  });

  it('a portable pattern of the documents accepts everything that the exact pattern accepts', () => {
    const samples = ['', ' ', 'Acme', 'a\nb', 'a\0', 'Ærø 7', '株式会社', 'Ana 🌲', 'a\ud83d', 'a\u007f', '\u00a0'];

    expect(PORTABLE_PATTERNS.size).toBeGreaterThan(0);
    for (const [exact, portable] of PORTABLE_PATTERNS)
      expect(samples.filter((sample) => new RegExp(exact, 'u').test(sample) && !new RegExp(portable, 'u').test(sample))).toEqual([]);
  });

  it('a service code is one to eight characters of A-Z and 0-9 @spec D1-2.4 @spec D1-8', () => {
    expect(['S', 'SHOP2026'].every((code) => refused(ServiceCode, code) === undefined)).toBe(true);
    expect(
      [undefined, '', 'shop', 'SHOP20260', 'SH-OP', 'ÄPFEL'].every((code) => refused(ServiceCode, code) === 'services.share_code_invalid'),
    ).toBe(true);
  });

  const redirect = redirectUriOr('account_clients.redirect_uri_invalid');

  it.each(['https://acme.example/back?x=1', 'http://127.0.0.1:8080/back', 'com.acme.app:/back'])(
    'a redirect URI of an account client may be %s',
    (uri) => {
      expect(refused(redirect, uri)).toBeUndefined();
    },
  );

  it.each([
    '',
    '/back',
    'acme.example/back',
    'https://',
    'https://acme.example/#top',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
  ])('a redirect URI of an account client may not be %j', (uri) => {
    expect(refused(redirect, uri)).toBe('account_clients.redirect_uri_invalid');
  });

  const ofApp = appRedirectUriOr('oauth_apps.redirect_uri_invalid');

  it.each([
    'https://acme.example/back?x=1',
    'https://LOGIN.acme.example:8443/back',
    'https://xn--pfel-koa.example',
    'https://192.0.2.7/back',
    'http://localhost:8080/back',
    'http://127.0.0.1/back',
    'http://[::1]:8080/back',
    'com.acme.app:/back',
    'com.acme.app://back',
  ])('a redirect URI of a sign-in app may be %s @gap D1-4.6', (uri) => {
    expect(refused(ofApp, uri)).toBeUndefined();
  });

  it.each([
    'http://acme.example/back',
    'http://127.0.0.1.acme.example/back',
    'https://user@acme.example/back',
    'https://user:secret@acme.example/back',
    'https://x;sandbox/',
    'https://*/',
    "https://'self'/",
    'https://*.acme.example/',
    'https:acme.example/back',
    'https:///acme.example/back',
    'https:\\\\acme.example',
    'https://%61cme.example/back',
    'https://acme..example/',
    'com.acme.app://user@host/',
    'not an address',
  ])('a redirect URI of a sign-in app may not be %j @gap D1-4.6', (uri) => {
    expect(refused(ofApp, uri)).toBe('oauth_apps.redirect_uri_invalid');
  });
});
