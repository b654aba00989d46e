import { isAtLeast, lacks } from './nats-binary.ts';

it.each([
  ['2.12.0', '2.12', true],
  ['2.9.10', '2.12', false],
  ['2.100.0', '2.12', true],
  ['3.0.0', '2.12', true],
  ['2.11.99', '2.12', false],
  ['2.10.1', '2.10.2', false],
])('version %s against %s', (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

it('an old nats-server lacks what came later', () => {
  expect(lacks('2.9.10')).toEqual(['consumers of several subjects (2.10)', 'atomic batches (2.12)']);
  expect(lacks('2.11.4')).toEqual(['atomic batches (2.12)']);
  expect(lacks('2.12.0')).toEqual([]);
});
