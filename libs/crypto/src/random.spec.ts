import { jest } from '@jest/globals';
import { randomBytes, randomCode, randomToken } from './random.ts';

it('draws as many bytes as asked, never the same twice', () => {
  expect(randomBytes(12)).toHaveLength(12);
  expect(Buffer.from(randomBytes(32)).equals(randomBytes(32))).toBe(false);
});

it('makes tokens of 32 bytes that fit into a URL', () => {
  expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(randomToken(16)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(randomToken()).not.toBe(randomToken());
});

it('makes codes of the characters it is given', () => {
  expect(randomCode(2, '0123456789')).toMatch(/^[0-9]{2}$/);
  expect(randomCode(500, 'AB')).toMatch(/^(?=.*A)(?=.*B)[AB]{500}$/);
});

it('draws again what lies past the last whole round of the alphabet', () => {
  const draws = [[250, 249], [255], [0]];
  const draw = (bytes: Uint8Array) => (bytes.set(draws.shift()!), bytes);
  const random = jest.spyOn(crypto, 'getRandomValues').mockImplementation(draw as never);
  try {
    expect(randomCode(2, '0123456789')).toBe('90');
  } finally {
    random.mockRestore();
  }
});

it('favours no character of the alphabet', () => {
  const alphabet = String.fromCodePoint(...Array.from({ length: 192 }, (_, at) => 0x100 + at));

  const code = randomCode(30_000, alphabet);
  const firstThird = Array.from(code).filter((character) => alphabet.indexOf(character) < 64).length;

  // A plain remainder would give 15,000; ten standard deviations are 820.
  expect(Math.abs(firstThird - 10_000)).toBeLessThan(820);
  expect(new Set(code).size).toBe(192);
});
