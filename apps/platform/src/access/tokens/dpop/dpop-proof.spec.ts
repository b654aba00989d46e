import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { readProof, type ProvenRequest } from './dpop-proof.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const IAT = NOW.getTime() / 1000;
const REQUEST: ProvenRequest = { method: 'GET', url: 'https://eu.example/api/app/challenges' };

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = pair.publicKey.export({ format: 'jwk' });
const CLAIMS = { htm: 'GET', htu: REQUEST.url, iat: IAT, jti: 'first' };

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
function made(claims: object = {}, header: object = {}, key: KeyObject = pair.privateKey): string {
  const signed = `${encode({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header })}.${encode({ ...CLAIMS, ...claims })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
const read = (text: string | undefined, request: Partial<ProvenRequest> = {}) => readProof(text, { ...REQUEST, ...request }, NOW);

describe('a DPoP proof @gap D1-5.4', () => {
  it('names its key by the thumbprint that a third-party library computes', async () => {
    expect(read(made())).toMatchObject({ jkt: await calculateJwkThumbprint(jwk), claims: CLAIMS });
  });

  it.each([
    ['of another spelling of the address', { htu: 'HTTPS://EU.example:443/api/app/challenges' }],
    ['with a query in htu', { htu: `${REQUEST.url}?limit=1#top` }],
    ['59 seconds old', { iat: IAT - 59 }],
    ['of a clock that is 59 seconds ahead', { iat: IAT + 59 }],
  ])('is accepted %s', (_, claims) => {
    expect(read(made(claims))).toMatchObject({ claims });
  });

  it.each([
    ['of another method', { htm: 'POST' }, 'request'],
    ['of another path', { htu: 'https://eu.example/api/app' }, 'request'],
    ['of another host', { htu: 'https://us.example/api/app/challenges' }, 'request'],
    ['of an address that is none', { htu: 'challenges' }, 'request'],
    ['61 seconds old', { iat: IAT - 61 }, 'time'],
    ['61 seconds ahead', { iat: IAT + 61 }, 'time'],
    ['of a time that is no number', { iat: String(IAT) }, 'malformed'],
    ['without jti', { jti: undefined }, 'malformed'],
    ['with an endless jti', { jti: 'x'.repeat(129) }, 'malformed'],
  ])('is refused %s', (_, claims, fault) => {
    expect(read(made(claims))).toBe(fault);
  });

  it.each([
    ['of another type', { typ: 'JWT' }],
    ['of the type of an act', { typ: 'codase-act+jwt' }],
    ['without an algorithm', { alg: 'none' }],
    ['of another algorithm', { alg: 'ES384' }],
    ['with the private part of its key', { jwk: { ...jwk, d: 'c2VjcmV0' } }],
    ['with a key that is no point', { jwk: { ...jwk, x: Buffer.alloc(32, 1).toString('base64url') } }],
    ['with a shared secret as its key', { jwk: { kty: 'oct', k: 'c2VjcmV0' } }],
    ['without a key', { jwk: undefined }],
  ])('is refused %s', (_, header) => {
    expect(read(made({}, header))).toBe('malformed');
  });

  it('has 2048 characters at most', () => {
    const around = made({ more: '' }).length;
    const longest = [0, 1, 2, 3].map((more) => made({ more: 'x'.repeat(Math.floor((2048 - around) * 0.75) + more) }));

    expect(longest.map(({ length }) => length)).toEqual(expect.arrayContaining([2048]));
    for (const text of longest) expect(typeof read(text)).toBe(text.length <= 2048 ? 'object' : 'string');
    expect(longest.at(-1)!.length).toBeGreaterThan(2048);
  });

  it('is refused when another key signed it, or when it is no JWS', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

    expect(read(made({}, {}, other))).toBe('malformed');
    expect(read(`${made()}, ${made()}`)).toBe('malformed');
    expect(read('x'.repeat(10_000_000))).toBe('malformed');
    expect(read('..')).toBe('malformed');
    expect(read(`${made()}.more`)).toBe('malformed');
    expect(read(undefined)).toBe('missing');
  });

  it('fits only the access token whose hash it has, and whose key it is signed with', async () => {
    const bound = { token: 'the token', jkt: await calculateJwkThumbprint(jwk) };
    const ath = createHash('sha256').update('the token').digest('base64url');

    expect(read(made({ ath }), { bound })).toMatchObject({ jkt: bound.jkt });
    expect(read(made(), { bound })).toBe('token');
    expect(read(made({ ath: ath.toLowerCase() }), { bound })).toBe('token');
    expect(read(made({ ath }), { bound: { ...bound, jkt: 'another' } })).toBe('key');
  });
});
