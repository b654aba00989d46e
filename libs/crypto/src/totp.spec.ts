import { newTotpSecret, totpCode, totpStep } from './totp.ts';

/** `12345678901234567890` in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a TOTP code @gap D1-5.8', () => {
  // The values of RFC 6238, appendix B, for SHA-1; six of their eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('equals the test vector of RFC 6238 after %d seconds', async (seconds, code) => {
    expect(await totpCode(RFC_SECRET, totpStep(new Date(seconds * 1000)))).toBe(code);
  });

  // RFC 4226, appendix D.
  it.each(['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map((code, n) => [n, code]))(
    'equals the test vector of RFC 4226 for the counter %d',
    async (counter, code) => {
      expect(await totpCode(RFC_SECRET, Number(counter))).toBe(code);
    },
  );

  it('changes every 30 seconds', () => {
    expect(totpStep(new Date(29_999))).toBe(0);
    expect(totpStep(new Date(30_000))).toBe(1);
  });

  it('is computed from a random secret of 160 bits', () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });
});
