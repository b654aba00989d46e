import { createLocalJWKSet, jwtVerify } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { onlyKey, signToken, verifyToken } from './access-token.ts';
import { readSigningKey } from './signing-key.service.ts';

const pem = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const key = readSigningKey(pem());
const keys = onlyKey(key);
const noon = new Date('2026-01-01T12:00:00Z');
const claims = { iss: 'http://front-door', sub: 'svc_1', client_id: 'svc_1', gen: 1, jti: 'j1' };
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000);

const token = await signToken(key, noon, claims);
const strangers = await signToken(readSigningKey(pem()), noon, claims);

describe('access token @spec D1-2.2 @spec D1-5.4', () => {
  it('can be verified by a third-party library with the published key', async () => {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: [key.jwk] }), {
      audience: 'company-data-service',
      issuer: 'http://front-door',
      currentDate: noon,
    });

    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: key.kid });
    expect(payload).toMatchObject(claims);
  });

  it('expires after an hour', () => {
    expect(verifyToken(keys, later(3599), token)).toMatchObject({ ...claims, signed_by: 'front-door' });
    expect(verifyToken(keys, later(3600), token)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no token at all', 'hello'],
    ['a cut signature', token.slice(0, -4)],
    [
      'another body',
      token.replace(
        /\.[^.]+\./,
        `.${Buffer.from(JSON.stringify({ ...claims, aud: 'company-data-service', iat: 0, exp: 9e9 })).toString('base64url')}.`,
      ),
    ],
    ['no algorithm', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`],
    [
      'a shared-secret algorithm',
      token.replace(/^[^.]+/, Buffer.from(JSON.stringify({ alg: 'HS256', kid: key.kid })).toString('base64url')),
    ],
    ["a stranger's key", strangers],
    ['ten megabytes', 'x'.repeat(10_000_000)],
  ])('is rejected with %s', (_, forged) => {
    expect(verifyToken(keys, noon, forged)).toBeUndefined();
  });

  it('is rejected when it has the right signature and another audience', async () => {
    const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid: key.kid })).toString('base64url');
    const body = Buffer.from(JSON.stringify({ ...claims, aud: 'somebody-else', iat: 0, exp: 9e9 })).toString('base64url');
    const signature = await key.signing.sign(`${head}.${body}`);

    expect(verifyToken(keys, noon, `${head}.${body}.${signature}`)).toBeUndefined();
  });
});
