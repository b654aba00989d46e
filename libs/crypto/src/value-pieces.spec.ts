import { pkcs8, public_key } from '../test/keys.ts';
import { decodeBase64 } from './base64.ts';
import { importValuePrivateKey, openValue, unwrapKey } from './open/value-wrapper.ts';
import { CryptoRefusal } from './refusal.ts';
import { sealValueInPieces, takePiecesApart } from './value-pieces.ts';
import { importValuePublicKey, sealValue } from './value-wrapper.ts';

const encoder = new TextEncoder();
const key = () => importValuePrivateKey(pkcs8);

async function* cut(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = encoder.encode(text);
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

const joined = async (pieces: AsyncIterable<string>) => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
};

const piecesOf = (bytes: Uint8Array, length: number) =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) => bytes.subarray(n * length, (n + 1) * length));

describe('a long value that is processed in pieces @spec D1-2.3', () => {
  const TEXT = 'Straße '.repeat(500);
  const readWhole = async (wrapper: string, length: number, change: (d: Uint8Array) => void = () => undefined) => {
    const { d, ...rest } = JSON.parse(wrapper) as { d: string };
    const bytes = decodeBase64(d).slice();
    change(bytes);
    const { wrapped_key, openWith } = await takePiecesApart(JSON.stringify({ ...rest, d: d.slice(-24) }), piecesOf(bytes, length));
    return Buffer.concat([...openWith(await unwrapKey(await key(), wrapped_key))]).toString();
  };

  it.each([1, 2, 3, 1000, 10_000])('opens as any other value when it was sealed from pieces of %i bytes', async (length) => {
    const wrapper = await joined(sealValueInPieces(await importValuePublicKey(public_key), cut(TEXT, length)));

    expect(await openValue(await key(), wrapper)).toBe(TEXT);
  });

  it('opens as an empty text when it was sealed from no pieces', async () => {
    const wrapper = await joined(sealValueInPieces(await importValuePublicKey(public_key), cut('', 1)));

    expect(await openValue(await key(), wrapper)).toBe('');
  });

  it.each([1, 5, 16, 1000, 10_000])('is opened from pieces of %i bytes', async (length) => {
    expect(await readWhole(await sealValue(await importValuePublicKey(public_key), TEXT), length)).toBe(TEXT);
  });

  it('is refused at its end when a bit was changed or its ciphertext is shorter than the tag', async () => {
    const wrapper = await sealValue(await importValuePublicKey(public_key), TEXT);

    for (const share of [0, 0.5, 1])
      await expect(readWhole(wrapper, 1000, (d) => (d[Math.floor((d.length - 1) * share)]! ^= 1))).rejects.toEqual(
        new CryptoRefusal('envelope'),
      );
    await expect(takePiecesApart(wrapper, [new Uint8Array(15)])).rejects.toEqual(new CryptoRefusal('envelope'));
  });
});
