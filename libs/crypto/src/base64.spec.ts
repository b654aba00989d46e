import { base64Length, decodeBase64, decodeCiphertext, decodeSized, encodeBase64, encodeBase64Url } from './base64.ts';
import { Malformed } from './refusal.ts';

it('encodeBase64 encodes as Buffer does', () => {
  for (const text of ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar']) {
    const bytes = Buffer.from(text);
    expect(encodeBase64(bytes)).toBe(bytes.toString('base64'));
    expect(encodeBase64(bytes)).toHaveLength(base64Length(bytes.length));
  }
});

it('decodeBase64 decodes every byte value', () => {
  const bytes = Uint8Array.from({ length: 256 * 3 }, (_, at) => (at * 7) % 256);
  expect(Buffer.from(decodeBase64(Buffer.from(bytes).toString('base64'))).equals(bytes)).toBe(true);
  expect(decodeBase64('')).toHaveLength(0);
});

it.each([
  ['no padding', 'Zm8'],
  ['one padding of two', 'Zg='],
  ['a length that is no multiple of four', 'Zm9vY'],
  ['nothing but padding', '===='],
  ['three paddings', 'Z==='],
  ['padding inside', 'Zg==Zm9v'],
  ['white space', 'Zm9v\nZm9v   '],
  ['the URL alphabet', 'Z-_v'],
  ['another alphabet in the first place', '!AAA'],
  ['another alphabet in the second place', 'A!AA'],
  ['another alphabet in the third place', 'AA!A'],
  ['another alphabet in the fourth place', 'AAA!'],
  ['a character outside ASCII', 'Zm9å'],
  ['stray bits before two paddings', 'Zh=='],
  ['stray bits before one padding', 'Zm9='],
])('base64 decoding refuses %s @gap D1-2.3', (_, text) => {
  expect(() => decodeBase64(text)).toThrow(Malformed);
  expect(() => decodeCiphertext(text, 0, 100)).toThrow(Malformed);
});

it('encodeBase64Url writes only characters that a URL need not escape', () => {
  expect(encodeBase64Url(new Uint8Array([0xfb, 0xff, 0xfe, 0xfb]))).toBe('-__--w');
});

it.each([
  ['of its own memory', decodeSized],
  ['of shared memory', decodeCiphertext],
])('base64 decoding accepts only the expected number of bytes, with a result %s', (_, decode) => {
  const base64 = (length: number) => Buffer.alloc(length).toString('base64');
  expect(decode(base64(16), 16)).toHaveLength(16);
  for (const length of [14, 15, 17, 18, 19]) expect(() => decode(base64(length), 16)).toThrow(Malformed);
  for (const length of [16, 17, 20]) expect(decode(base64(length), 16, 20)).toHaveLength(length);
  for (const length of [15, 21, 22]) expect(() => decode(base64(length), 16, 20)).toThrow(Malformed);
  for (const none of [undefined, null, 16, ['AAAA'], { length: 4 }]) expect(() => decode(none, 0, 16)).toThrow(Malformed);
});

it('decodeCiphertext decodes a long text', () => {
  const bytes = Buffer.alloc(100_000, 7);
  expect(Buffer.from(decodeCiphertext(bytes.toString('base64'), 0, 200_000)).equals(bytes)).toBe(true);
});
