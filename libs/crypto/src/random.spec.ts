import { jest } from '@jest/globals';
import { randomBytes, randomCode, randomToken } from './random.ts';

it('randomBytes returns the requested number of bytes, different each time', () => {
  expect(randomBytes(12)).toHaveLength(12);
  expect(Buffer.from(randomBytes(32)).equals(randomBytes(32))).toBe(false);
});

it('randomToken returns 32 random bytes in URL-safe characters', () => {
  expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(randomToken(16)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(randomToken()).not.toBe(randomToken());
});

it('randomCode uses only the characters of the given alphabet', () => {
  expect(randomCode(2, '0123456789')).toMatch(/^[0-9]{2}$/);
  expect(randomCode(500, 'AB')).toMatch(/^(?=.*A)(?=.*B)[AB]{500}$/);
});

it("randomCode discards a byte beyond the last whole multiple of the alphabet's length", () => {
  const draws = [[250, 249], [255], [0]];
  const draw = (bytes: Uint8Array) => (bytes.set(draws.shift()!), bytes);
  const random = jest.spyOn(crypto, 'getRandomValues').mockImplementation(draw as never);
  try {
    expect(randomCode(2, '0123456789')).toBe('90');
  } finally {
    random.mockRestore();
  }
});

it('randomCode draws all characters of the alphabet with equal probability', () => {
  const alphabet = String.fromCodePoint(...Array.from({ length: 192 }, (_, at) => 0x100 + at));

  const code = randomCode(30_000, alphabet);
  const firstThird = Array.from(code).filter((character) => alphabet.indexOf(character) < 64).length;

  // A plain remainder would give 15,000; ten standard deviations are 820.
  expect(Math.abs(firstThird - 10_000)).toBeLessThan(820);
  expect(new Set(code).size).toBe(192);
});
