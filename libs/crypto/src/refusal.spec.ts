import { CryptoRefusal, refusing } from './refusal.ts';

it('refusing turns every fault into the same refusal without its cause @gap D1-2.3', async () => {
  const faults = [
    () => JSON.parse('{'),
    () => Promise.reject(new RangeError('which step')),
    () => {
      throw new CryptoRefusal('secret');
    },
  ];
  for (const fault of faults) {
    const refusal = await refusing('envelope', fault).catch((error: unknown) => error as CryptoRefusal);
    expect(refusal).toEqual(new CryptoRefusal('envelope'));
    expect(refusal).toMatchObject({ name: 'CryptoRefusal', kind: 'envelope' });
    expect(refusal).not.toHaveProperty('cause');
    expect(refusal).toBeInstanceOf(Error);
  }
});

it('refusing returns the result when nothing fails', async () => {
  expect(await refusing('envelope', () => 1)).toBe(1);
});

it.each([
  ['envelope', /Ask its sender to seal it again/],
  ['private_key', /check the passphrase/],
  ['public_key', /SubjectPublicKeyInfo of an RSA-2048 key/],
  ['plaintext', /at most 64 MiB/],
  ['secret', /1 to 16,384 characters/],
] as const)('CryptoRefusal says how to fix a refused %s', (kind, advice) => {
  expect(new CryptoRefusal(kind).message).toMatch(advice);
});
