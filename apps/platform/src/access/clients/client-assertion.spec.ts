import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { ClientKey } from '@codase/contracts';
import { isCurrent, isUsableKey, readAssertion, verifiedAssertion } from './client-assertion.ts';

const NOW = new Date('2026-11-19T12:00:00Z');
const S = NOW.getTime() / 1000;
const AUD = 'https://platform.example';
const CLAIMS = { iss: 'svc_1', sub: 'svc_1', aud: AUD, exp: S + 60, iat: S, jti: 'one' };
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwkOf = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more }) as ClientKey;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const es256 = (content: string, key = ec.privateKey) => sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });

function assertion(claims: object = {}, header: object = {}, signs: (content: string) => Buffer = es256): string {
  const content = `${part({ alg: 'ES256', ...header })}.${part({ ...CLAIMS, ...claims })}`;
  return `${content}.${signs(content).toString('base64url')}`;
}
const isAccepted = (text: string, keys = [jwkOf(ec.publicKey)]) => {
  const sent = readAssertion(text);
  return sent !== undefined && isCurrent(sent, [AUD, `${AUD}/oauth2/token`], NOW) && verifiedAssertion(sent, keys) !== undefined;
};

describe('a client assertion @gap D1-5.2', () => {
  it.each<[string, object]>([
    ['the issuer as its audience', {}],
    ['the token endpoint as its audience', { aud: `${AUD}/oauth2/token` }],
    ['a list of one audience', { aud: [AUD] }],
    ['no iat', { iat: undefined }],
    ['a clock that is a little ahead', { iat: S + 30, nbf: S + 30, exp: S + 330 }],
  ])('is accepted with %s', (_, claims) => {
    expect(isAccepted(assertion(claims))).toBe(true);
  });

  it.each<[string, object]>([
    ['another audience', { aud: 'https://eu.platform.example' }],
    ['two audiences', { aud: [AUD, `${AUD}/oauth2/token`] }],
    ['no audience', { aud: undefined }],
    ['another issuer than subject', { iss: 'svc_2' }],
    ['an end that has come', { exp: S }],
    ['an end too far ahead', { exp: S + 331 }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: 'later' }],
    ['a beginning that has not come', { nbf: S + 31 }],
    ['a time of issue that has not come', { iat: S + 31 }],
    ['no jti', { jti: undefined }],
    ['an empty jti', { jti: '' }],
    ['a jti that is too long', { jti: 'x'.repeat(257) }],
  ])('is refused with %s', (_, claims) => {
    expect(isAccepted(assertion(claims))).toBe(false);
  });

  it.each<[string, string]>([
    ['no signature', `${assertion().split('.').slice(0, 2).join('.')}.`],
    ['alg none', assertion({}, { alg: 'none' })],
    ['an algorithm for secrets', assertion({}, { alg: 'HS256' })],
    ['an algorithm for other keys', assertion({}, { alg: 'EdDSA' })],
    ['an extension that must be understood', assertion({}, { crit: ['x'] })],
    ['a signature by another key', assertion({}, {}, (content) => es256(content, other.privateKey))],
    ['a signature in DER', assertion({}, {}, (content) => sign('sha256', Buffer.from(content), ec.privateKey))],
    ['two parts', 'a.b'],
    ['four parts', `${assertion()}.x`],
    ['no JSON', 'eA.eA.eA'],
    ['standard base64', assertion().replace(/\.([^.]+)$/, '.+$1')],
  ])('is refused with %s', (_, text) => {
    expect(isAccepted(text)).toBe(false);
  });

  it('is refused under the id of another key, and under another algorithm than the key names', () => {
    const named = [jwkOf(ec.publicKey, { kid: 'one', alg: 'ES256' })];
    expect(isAccepted(assertion({}, { kid: 'one' }), named)).toBe(true);
    expect(isAccepted(assertion({}, { kid: 'two' }), named)).toBe(false);

    const rs256 = (content: string) => sign('sha256', Buffer.from(content), rsa.privateKey);
    expect(isAccepted(assertion({}, { alg: 'RS256' }, rs256), [jwkOf(rsa.publicKey)])).toBe(true);
    expect(isAccepted(assertion({}, { alg: 'RS256' }, rs256), [jwkOf(rsa.publicKey, { alg: 'PS256' })])).toBe(false);
  });

  it('is refused by a client without keys, and recorded by a digest of its jti until its end', () => {
    const sent = readAssertion(assertion())!;
    expect(verifiedAssertion(sent, [])).toBeUndefined();
    expect(verifiedAssertion(sent, [jwkOf(ec.publicKey)])).toEqual({
      client_id: 'svc_1',
      jti_hash: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: new Date((S + 60) * 1000),
    });
  });

  it('cannot have an RSA key whose modulus begins with zeros', () => {
    const short = Buffer.from(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }).n!, 'base64url');
    const n = Buffer.concat([Buffer.alloc(256 - short.length), short]).toString('base64url');

    expect(isUsableKey(jwkOf(rsa.publicKey))).toBe(true);
    expect(isUsableKey(jwkOf(rsa.publicKey, { n }))).toBe(false);
  });

  it('cannot have a key that is no point of its curve', () => {
    expect(isUsableKey(jwkOf(ec.publicKey))).toBe(true);
    expect(isUsableKey(jwkOf(ec.publicKey, { x: 'A'.repeat(43) }))).toBe(false);
  });
});
