import { isAtLeast, lacks } from './nats-binary.ts';

it.each([
  ['2.12.0', '2.12', true],
  ['2.9.10', '2.12', false],
  ['2.100.0', '2.12', true],
  ['3.0.0', '2.12', true],
  ['2.11.99', '2.12', false],
  ['2.10.1', '2.10.2', false],
])('nats-server version %s is compared with the minimum %s', (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

it('an old nats-server is listed with the features that it lacks', () => {
  expect(lacks('2.9.10')).toEqual(['consumers of several subjects (2.10)', 'atomic batches (2.12)']);
  expect(lacks('2.11.4')).toEqual(['atomic batches (2.12)']);
  expect(lacks('2.12.0')).toEqual([]);
});
