import { challengeOf, hashGrantSecret, newGrantSecret } from './grant-secret.ts';

describe('a code or a refresh token', () => {
  it('is new each time, and kept as a hash that does not hold it', () => {
    const secret = newGrantSecret();

    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(newGrantSecret()).not.toBe(secret);
    expect(hashGrantSecret(secret)).not.toContain(secret);
    expect(hashGrantSecret(secret)).toBe(hashGrantSecret(secret));
  });
});

describe('the proof of who began @spec D1-5.5', () => {
  it('answers the challenge of RFC 7636, appendix B', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  it.each(['', 'short', 'v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)} `, `${'v'.repeat(42)}é`])(
    'refuses the verifier %j',
    (verifier) => {
      expect(() => challengeOf(verifier)).toThrow(expect.objectContaining({ key: 'oauth.invalid_request' }));
    },
  );
});
