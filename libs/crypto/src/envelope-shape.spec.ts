import { jest } from '@jest/globals';
import { forge, vectors } from '../test/keys.ts';
import { isEnvelope, readEnvelope, writeEnvelope } from './envelope-shape.ts';
import { ENVELOPE_CHARS, PLAINTEXT_BYTES } from './limits.ts';

const base64 = (length: number) => Buffer.alloc(length).toString('base64');
const members = { _enc: 1, k: base64(256), iv: base64(12), d: base64(16) };
const written = (changes: object) => JSON.stringify({ ...members, ...changes });

it('writeEnvelope writes the members of the specification in their order @spec D1-2.3', () => {
  expect(writeEnvelope({ k: new Uint8Array(256), iv: new Uint8Array(12), d: new Uint8Array(16) })).toBe(JSON.stringify(members));
});

it('readEnvelope accepts members in any order, white space and escaped slashes @spec D1-2.3', () => {
  const { d, iv, k } = JSON.parse(forge({ aesKey: Buffer.alloc(32, 1) }));
  const loose = `\n{ "d" : "${d}", "iv":"${iv}",\t"k":"${k.replaceAll('/', '\\/')}", "_enc": 1 }\n`;

  const parts = readEnvelope(loose);

  expect(Buffer.from(parts.k).toString('base64')).toBe(k);
  expect(Buffer.from(parts.iv).toString('base64')).toBe(iv);
  expect(Buffer.from(parts.d).toString('base64')).toBe(d);
});

it('isEnvelope distinguishes an envelope from clear text by its form @spec D1-2.3', () => {
  for (const { text } of [...vectors.madeByOpenssl.values, ...vectors.madeByOpenssl.accountEnvelopes]) expect(isEnvelope(text)).toBe(true);
  expect(isEnvelope('Ada')).toBe(false);
});

it.each([
  ['another version', written({ _enc: 2 })],
  ['a version in quotes', written({ _enc: '1' })],
  ['true as the version', written({ _enc: true })],
  ['no version', written({ _enc: undefined })],
  ['an extra member', written({ more: 1 })],
  ['an extra member in place of another', written({ d: undefined, more: '' })],
  ['no key', written({ k: undefined, kk: '' })],
  ['a member written twice', `{"_enc":1,${written({}).slice(1)}`],
  ['a member written twice in place of another', `{"_enc":1,"k":"${members.k}","k":"${members.k}","iv":"${members.iv}"}`],
  ['a key that is a list', written({ k: [1] })],
  ['a key that is a number', written({ k: 1 })],
  ['an IV that is a number', written({ iv: 1 })],
  ['a ciphertext that is an object', written({ d: {} })],
  ['a ciphertext that is a number', written({ d: 1 })],
  ['a key of 255 bytes', written({ k: base64(255) })],
  ['a key of 257 bytes', written({ k: base64(257) })],
  ['an IV of 11 bytes', written({ iv: base64(11) })],
  ['an IV of 13 bytes', written({ iv: base64(13) })],
  ['a ciphertext shorter than its tag', written({ d: base64(12) })],
  ['truncated base64', written({ d: base64(16).slice(1) })],
  ['base64 with white space', written({ d: `${base64(15)}\n${base64(3)}===`.slice(0, 24) })],
  ['a list', `[${written({})}]`],
  ['an object inside', `{"a":${written({})}}`],
  ['a string of a string', JSON.stringify(written({}))],
  ['null', 'null'],
  ['a number', '1'],
  ['nothing', ''],
  ['cut JSON', written({}).slice(0, -1)],
  ['more after the JSON', `${written({})}1`],
  ['something else than text', undefined],
  ['an object instead of its JSON', members],
])('isEnvelope refuses %s @gap D1-2.3', (_, text) => {
  expect(isEnvelope(text)).toBe(false);
});

it('isEnvelope requires a ciphertext at least as long as the tag', () => {
  expect(isEnvelope(written({ d: base64(15) }))).toBe(false);
  expect(isEnvelope(written({ d: base64(16) }))).toBe(true);
});

it('isEnvelope refuses a text over the maximum length @gap D1-2.3', () => {
  const tooMuch = 'A'.repeat(Math.ceil((PLAINTEXT_BYTES + 18) / 3) * 4);
  expect(isEnvelope(`{"_enc":1,"k":"${members.k}","iv":"${members.iv}","d":"${tooMuch}"}`)).toBe(false);
  expect(isEnvelope(' '.repeat(ENVELOPE_CHARS) + written({}))).toBe(false);
});

it.each([
  ['numbers', `[${'1,'.repeat(5_000_000)}1]`],
  ['brackets', '['.repeat(10_000_000)],
  ['braces', '{"a":'.repeat(2_000_000)],
  ['members', `{${'"a":1,'.repeat(1_500_000)}"a":1}`],
  ['quotes', '"'.repeat(10_000_000)],
  ['numbers among four members', `{"_enc":[${'1,'.repeat(5_000_000)}1],"k":"","iv":"","d":""}`],
])('isEnvelope refuses 10 MB of %s without parsing them @gap D1-2.3', (_, garbage) => {
  const parse = jest.spyOn(JSON, 'parse');
  try {
    expect(isEnvelope(garbage)).toBe(false);
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});
