import { PLAINTEXT_BYTES, SECRET_CHARS } from './limits.ts';
import { decodeUtf8, isUsableSecret, plaintextBytes, secretBytes } from './text.ts';

const refusal = (kind: string) => expect.objectContaining({ name: 'CryptoRefusal', kind });

it('decodeUtf8 keeps a leading BOM @gap D1-2.3', () => {
  expect(decodeUtf8(plaintextBytes('\ufeffx'))).toBe('\ufeffx');
});

it('decodeUtf8 refuses invalid UTF-8 and still decodes the next text @gap D1-2.3', () => {
  expect(() => decodeUtf8(new Uint8Array([0xc3]))).toThrow('not valid for encoding utf-8');
  expect(decodeUtf8(plaintextBytes('å'))).toBe('å');
});

it('plaintextBytes and secretBytes refuse text that UTF-8 cannot encode', () => {
  expect(() => plaintextBytes('a\ud800b')).toThrow(refusal('plaintext'));
  expect(() => secretBytes('\udc00')).toThrow(refusal('secret'));
  expect(plaintextBytes('😀')).toHaveLength(4);
});

it('plaintextBytes accepts up to 64 MiB of text or bytes @gap D1-2.3', () => {
  expect(plaintextBytes(new Uint8Array(PLAINTEXT_BYTES))).toHaveLength(64 * 1024 * 1024);
  expect(() => plaintextBytes(new Uint8Array(PLAINTEXT_BYTES + 1))).toThrow(refusal('plaintext'));
  expect(plaintextBytes('a'.repeat(PLAINTEXT_BYTES))).toHaveLength(PLAINTEXT_BYTES);
  expect(() => plaintextBytes('a'.repeat(PLAINTEXT_BYTES + 1))).toThrow(refusal('plaintext'));
  expect(() => plaintextBytes('å'.repeat(PLAINTEXT_BYTES / 2 + 1))).toThrow(refusal('plaintext'));
});

it('secretBytes accepts 1 to 16,384 characters', () => {
  expect(Buffer.from(secretBytes('å')).toString()).toBe('å');
  expect(secretBytes('x'.repeat(SECRET_CHARS))).toHaveLength(16_384);
  for (const secret of ['', 'x'.repeat(SECRET_CHARS + 1)]) expect(() => secretBytes(secret)).toThrow(refusal('secret'));
  for (const secret of [undefined, null, '', '\ud800']) expect(isUsableSecret(secret)).toBe(false);
});
