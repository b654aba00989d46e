import { Marks } from './marks.ts';

const TEXT = 'a marked text, ÄÖ/+';

describe('a mark in exported data', () => {
  const marks = new Marks({ mark: TEXT, other: 'another mark' });
  const bytes = (before: number) => Buffer.from(`${'x'.repeat(before)}${TEXT} and what follows`);

  it.each<[string, string | Uint8Array]>([
    ['as it is', `before ${TEXT} after`],
    ['as bytes', bytes(5)],
    ['inside JSON', JSON.stringify({ text: TEXT })],
    ['inside a URL', `/search?q=${encodeURIComponent(TEXT)}`],
    ['in hexadecimal', bytes(3).toString('hex')],
    ['as Postgres prints bytes', `(1,"\\\\x${bytes(3).toString('hex')}")`],
    ['in capital hexadecimal', bytes(3).toString('hex').toUpperCase()],
    ['in base64 that begins with it', bytes(0).toString('base64')],
    ['in base64, one byte later', bytes(1).toString('base64')],
    ['in base64, two bytes later', bytes(2).toString('base64')],
    ['in base64 that ends with it', Buffer.from(`12${TEXT}`).toString('base64')],
    ['in base64 for URLs', bytes(4).toString('base64url')],
  ])('is found %s, and no other mark with it', (_, haystack) => {
    expect(marks.foundIn(haystack)).toEqual(['mark']);
  });

  it('is not found when only a part of it is present', () => {
    expect(marks.foundIn(`${TEXT.slice(1)} ${Buffer.from(TEXT.slice(1)).toString('base64')}`)).toEqual([]);
  });

  it('must have at least eight characters', () => {
    expect(() => marks.add('short', '1234567')).toThrow('eight characters');
  });
});
