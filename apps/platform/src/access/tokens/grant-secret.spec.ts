import { challengeOf, hashGrantSecret, newGrantSecret } from './grant-secret.ts';

describe('authorization code or refresh token', () => {
  it('is random, and stored only as a hash', () => {
    const secret = newGrantSecret();

    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(newGrantSecret()).not.toBe(secret);
    expect(hashGrantSecret(secret)).not.toContain(secret);
    expect(hashGrantSecret(secret)).toBe(hashGrantSecret(secret));
  });
});

describe('PKCE challenge @spec D1-5.5', () => {
  it('matches the example of RFC 7636, appendix B', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  it.each(['', 'short', 'v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)} `, `${'v'.repeat(42)}é`])(
    'is not made of the invalid verifier %j',
    (verifier) => {
      expect(() => challengeOf(verifier)).toThrow(expect.objectContaining({ key: 'oauth.invalid_request' }));
    },
  );
});
