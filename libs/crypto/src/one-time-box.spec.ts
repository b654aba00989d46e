import { flipBit } from '../test/keys.ts';
import { createOneTimeKey, openBox, openBoxText, openDecodedBox, sealBox } from './one-time-box.ts';
import { CryptoRefusal } from './refusal.ts';

const otk = Buffer.from('one-time key of thirty-two bytes').toString('base64');
const refusal = new CryptoRefusal('envelope');

it('createOneTimeKey returns 32 random bytes @spec D2-4.3', () => {
  expect(Buffer.from(createOneTimeKey(), 'base64')).toHaveLength(32);
  expect(createOneTimeKey()).not.toBe(createOneTimeKey());
});

it('sealBox seals text or bytes as IV, ciphertext and tag @spec D2-4.3', async () => {
  const pdf = Buffer.from('%PDF-1.7\n\xff\xfe', 'latin1');

  const box = await sealBox(otk, pdf);

  expect(Buffer.from(box, 'base64')).toHaveLength(12 + pdf.length + 16);
  expect(Buffer.from(await openBox(otk, box)).equals(pdf)).toBe(true);
  expect(await openBoxText(otk, await sealBox(otk, '{"name":"Åsa"}'))).toBe('{"name":"Åsa"}');
  expect(await openBoxText(otk, await sealBox(otk, ''))).toBe('');
});

it('openDecodedBox decrypts in place and zeroes the output when authentication fails @spec D2-4.3', async () => {
  const pdf = Buffer.alloc(200_000, 'a page of it ');
  const decoded = async () => new Uint8Array(Buffer.from(await sealBox(otk, pdf), 'base64'));
  const [box, bad] = [await decoded(), await decoded()];
  bad[150_000]! ^= 1;

  const opened = await openDecodedBox(otk, box);

  expect([Buffer.from(opened).equals(pdf), opened.buffer === box.buffer]).toEqual([true, true]);
  await expect(openDecodedBox(otk, bad)).rejects.toEqual(refusal);
  expect(bad.subarray(12, -16).every((byte) => byte === 0)).toBe(true);
  await expect(openDecodedBox(otk, new Uint8Array(27))).rejects.toEqual(refusal);
  await expect(openDecodedBox('hello', await decoded())).rejects.toEqual(refusal);
});

it('sealBox uses a fresh IV each time @spec D2-4.3', async () => {
  expect(await sealBox(otk, 'x')).not.toBe(await sealBox(otk, 'x'));
});

it('openBoxText refuses bytes that are not UTF-8, while openBox returns them @gap D1-2.3', async () => {
  const box = await sealBox(otk, new Uint8Array([0xff]));
  await expect(openBoxText(otk, box)).rejects.toEqual(refusal);
  expect(await openBox(otk, box)).toHaveLength(1);
});

const bytes = (length: number) => Buffer.alloc(length).toString('base64');

it.each(['', otk.slice(4), `${otk}AAAA`, bytes(31), bytes(33), otk.slice(0, -1) + 'A', 'hello'])(
  'sealBox and openBox refuse the one-time key "%s" @spec D2-4.3',
  async (bad) => {
    await expect(sealBox(bad, 'x')).rejects.toEqual(new CryptoRefusal('secret'));
    await expect(openBox(bad, await sealBox(otk, 'x'))).rejects.toEqual(refusal);
  },
);

it('openBox refuses a wrong key and a box that is altered, truncated, empty or too large @gap D1-2.3', async () => {
  const box = await sealBox(otk, 'secret');
  for (const [key, bad] of [
    [createOneTimeKey(), box],
    [otk, flipBit(box, 3)],
    [otk, flipBit(box, 12 * 8 + 3)],
    [otk, flipBit(box, 20 * 8)],
    [otk, box.slice(0, -4)],
    [otk, ''],
    [otk, Buffer.alloc(27).toString('base64')],
    [otk, 'A'.repeat(Math.ceil((64 * 1024 * 1024 + 31) / 3) * 4)],
  ] as const) {
    await expect(openBox(key, bad)).rejects.toEqual(refusal);
    await expect(openBoxText(key, bad)).rejects.toEqual(refusal);
  }
});

it('sealBox refuses text that UTF-8 cannot encode', async () => {
  await expect(sealBox(otk, '\ud800')).rejects.toEqual(new CryptoRefusal('plaintext'));
});
