import { fromHex, toHex } from './bytes.ts';
import { der, derInteger, DerReader, TAG } from './der.ts';
import { Malformed } from './refusal.ts';

const reader = (hex: string) => new DerReader(fromHex(hex));

it.each([
  [0, '020100'],
  [1, '020101'],
  [127, '02017f'],
  [128, '02020080'],
  [255, '020200ff'],
  [256, '02020100'],
  [100_000, '02030186a0'],
  [10_000_000, '020400989680'],
  [2 ** 31 - 1, '02047fffffff'],
])('DER encodes and decodes the INTEGER %d', (value, hex) => {
  expect(toHex(derInteger(value))).toBe(hex);
  expect(reader(hex).takeInteger()).toBe(value);
});

it.each([
  ['no octets', '0200'],
  ['a leading zero', '02020001'],
  ['a negative number', '0201ff'],
  ['five octets', '02050100000000'],
  ['another tag', '040101'],
])('DerReader refuses an INTEGER with %s', (_, hex) => {
  expect(() => reader(hex).takeInteger()).toThrow(Malformed);
});

it.each([0, 1, 127, 128, 255, 256, 4096, 65_535])('DER encodes and decodes %d octets with the shortest length', (length) => {
  const element = der(TAG.octets, new Uint8Array(length).fill(5));

  expect(element).toHaveLength(length + (length < 128 ? 2 : length < 256 ? 3 : 4));
  const read = new DerReader(element);
  expect(read.take(TAG.octets)).toHaveLength(length);
  expect(() => read.end()).not.toThrow();
});

it.each([
  ['nothing', ''],
  ['a tag alone', '04'],
  ['a length past the end', '0402aa'],
  ['the indefinite form', '04800401aa0000'],
  ['a length in two octets that needs one', '04817f' + '00'.repeat(127)],
  ['a length in three octets that needs two', '048200ff' + '00'.repeat(255)],
  ['a length in four octets', '0483000001aa'],
  ['a length cut short', '048201'],
])('DerReader refuses to read an element from %s', (_, hex) => {
  expect(() => reader(hex).take(0x04)).toThrow(Malformed);
});

it('DerReader refuses an indefinite or overlong length even when enough bytes follow', () => {
  expect(() => reader(`3080${'00'.repeat(200)}`).take(TAG.sequence)).toThrow(Malformed);
  expect(() => reader(`3083010000${'00'.repeat(66_000)}`).take(TAG.sequence)).toThrow(Malformed);
});

it('DerReader reads elements in sequence and detects unread bytes', () => {
  const outer = reader('3006020101040107');
  const inner = outer.enter(TAG.sequence);
  outer.end();

  expect(inner.sees(TAG.integer)).toBe(true);
  expect(inner.takeInteger()).toBe(1);
  expect(inner.sees(TAG.integer)).toBe(false);
  expect(() => inner.end()).toThrow(Malformed);
  expect(toHex(inner.take(TAG.octets))).toBe('07');
  expect(inner.sees(TAG.octets)).toBe(false);
  expect(() => inner.end()).not.toThrow();
});
