import { concatBytes, fromHex, sameBytes, toHex } from './bytes.ts';

it('hex encoding writes and reads two digits for each byte', () => {
  expect(toHex(new Uint8Array([0, 10, 255]))).toBe('000aff');
  expect([...fromHex('000aff')]).toEqual([0, 10, 255]);
  expect(fromHex('')).toHaveLength(0);
});

it('concatBytes joins bytes and sameBytes compares them', () => {
  expect([...concatBytes(new Uint8Array([1]), new Uint8Array(), new Uint8Array([2, 3]))]).toEqual([1, 2, 3]);
  expect(sameBytes(new Uint8Array([1, 2]), new Uint8Array([1, 2]))).toBe(true);
  for (const other of [[1], [1, 3], [1, 2, 3], []]) expect(sameBytes(new Uint8Array([1, 2]), new Uint8Array(other))).toBe(false);
});
