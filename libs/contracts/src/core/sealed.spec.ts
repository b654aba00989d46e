import { jest } from '@jest/globals';
import { createServiceKey, importValuePublicKey, isEnvelope, sealValue } from '@codase/crypto';
import fc from 'fast-check';
import { clearKey, SERVICE_KEYS } from '@codase/testing/keys';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isBase64 } from './base64.ts';
import { SEALED_CHARS } from './limits.ts';
import { readShape } from './read-shape.ts';
import { refused } from './refused.check.ts';
import { ENCRYPTED_PRIVATE_KEY, ONE_TIME_KEY, SEALED } from './samples.ts';
import { Box, encryptedPemOr, encryptedPrivateKeyOr, isSealed, OneTimeKey, publicKeyOr, Sealed } from './sealed.ts';

describe('the shape of a sealed value @spec D1-2.3', () => {
  it('accepts a value sealed by the crypto library', async () => {
    const [{ public_key, encrypted_private_key }] = SERVICE_KEYS;
    const wrapper = await sealValue(await importValuePublicKey(public_key), 'åäö');

    expect(Sealed.parse(wrapper)).toBe(wrapper);
    expect(refused(publicKeyOr('services.key_invalid'), public_key)).toBeUndefined();
    expect(refused(encryptedPrivateKeyOr('services.key_invalid'), encrypted_private_key)).toBeUndefined();
  });

  const { _enc, k, iv, d } = JSON.parse(SEALED) as Record<string, unknown>;

  it.each([
    ['plaintext', 'Main Street 1'],
    ['an object', { _enc, k, iv, d }],
    ['nothing', undefined],
    ['JSON of another kind', '[1]'],
    ['a member too many', JSON.stringify({ _enc, k, iv, d, clear: 'Main Street 1' })],
    ['a member missing', JSON.stringify({ _enc, k, iv })],
    ['another version', JSON.stringify({ _enc: 2, k, iv, d })],
    ['a key of another size', JSON.stringify({ _enc, k: 'qw==', iv, d })],
    ['a short IV', JSON.stringify({ _enc, k, iv: 'AAEC', d })],
    ['no room for the tag', JSON.stringify({ _enc, k, iv, d: 'AAEC' })],
    ['a member twice, of which the last is read', SEALED.replace('{', '{"d":"Main Street 1",')],
    ['a number with digits to spare', SEALED.replace('"_enc":1', '"_enc":1.00000000000000000000005551234')],
    ['text in a member', JSON.stringify({ _enc, k, iv, d: 'Main Street 1!! Main Street' })],
  ])('rejects %s', (_, value) => {
    expect(refused(Sealed, value)).toBe('contact_data.encryption_required');
  });

  it.each([
    ['white space between its members', JSON.stringify({ _enc, k, iv, d }, null, 2)],
    ['white space around it', `\r\n\t ${SEALED} \n`],
    ['its members in another order', JSON.stringify({ d, iv, k, _enc })],
    ['escaped slashes', JSON.stringify({ _enc, k, iv, d: `${'//8/'.repeat(8)}` }).replaceAll('/', '\\/')],
    ['escaped letters', SEALED.replace('"k":"q', '"\\u006b":"\\u0071')],
    ['an escaped name of its version', SEALED.replace('"_enc"', '"\\u005fenc"')],
    ['a version of 1.0', SEALED.replace('"_enc":1', '"_enc":1.0')],
    ['a version of 1e0', SEALED.replace('"_enc":1', '"_enc" : 1E+0')],
    ['a version of 10e-1', SEALED.replace('"_enc":1', '"_enc":10e-1')],
  ])('accepts a wrapper written with %s', (_, text) => {
    expect(JSON.parse(text)).toEqual({ _enc: 1, k, iv, d: expect.any(String) });
    expect(refused(Sealed, text)).toBeUndefined();
    expect(isEnvelope(text)).toBe(true);
  });

  const base64 = (bytes: number) => Buffer.alloc(bytes, 0xab).toString('base64');
  it.each([
    ['an IV of 11 bytes', { iv: base64(11) }],
    ['an IV of 10 bytes', { iv: base64(10) }],
    ['a wrapped key of 255 bytes', { k: base64(255) }],
    ['a wrapped key of 257 bytes', { k: base64(257) }],
    ['a ciphertext of 15 bytes', { d: base64(15) }],
  ])('checks the sizes of its members in bytes and rejects %s', (_, member) => {
    expect(refused(Sealed, JSON.stringify({ _enc, k, iv, d, ...member }))).toBe('contact_data.encryption_required');
  });

  it('rejects a wrapper over the maximum length', () => {
    expect(refused(Sealed, JSON.stringify({ _enc, k, iv, d: 'A'.repeat(SEALED_CHARS) }))).toBe('request.invalid');
  });

  it('parses a text as JSON only when it has as many members as a wrapper', () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      expect(isSealed(JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [nth, 0]))))).toBe(false);
      expect(parse).not.toHaveBeenCalled();
      expect(isSealed(JSON.stringify({ d, iv, k, _enc }))).toBe(true);
      expect(parse).toHaveBeenCalledTimes(1);
    } finally {
      parse.mockRestore();
    }
  });

  it('accepts exactly the texts that the crypto library accepts as envelopes', () => {
    const odd = ['', 'A=AA', 'AA=A', `${'A'.repeat(23)}=`, `${'A'.repeat(22)}B=`, 1, null];
    const member = fc.oneof(fc.base64String({ minLength: 16, maxLength: 400 }), fc.constantFrom(k, iv, d, ...odd));
    const texts = fc
      .record({
        _enc: fc.constantFrom(1, 2, '1'),
        k: member,
        iv: member,
        d: member,
      })
      .map((members) => JSON.stringify(members));

    fc.assert(
      fc.property(texts, (text) => {
        expect(isSealed(text)).toBe(isEnvelope(text));
      }),
    );
  });
});

it.each([
  ['a short text', ''],
  ['a long text', 'AAEC'.repeat(5000)],
])('isBase64 accepts only padded standard base64 without white space or stray bits, after %s', (_, before) => {
  const wrong = ['AAE', 'AA=A', '=AAA', 'A===', '====', 'AA E', 'AAE-', 'AAEC\n', 'AA==AAEC', 'AAF=', 'AB==', '\u00e9AEC', '\u0141AEC'];
  expect(['', 'AAEC', 'AAE=', 'AA=='].filter((text) => !isBase64(before + text))).toEqual([]);
  expect(wrong.filter((text) => isBase64(before + text))).toEqual([]);
});

describe('key shapes of a request', () => {
  const wrapped = encryptedPrivateKeyOr('services.key_invalid');

  it.each([
    ['fewer iterations', { iter: 1000 }],
    ['a long salt', { salt: 'AAECAwQFBgcICQoLDA0ODxAREhM=' }],
    ['a salt of 17 bytes', { salt: Buffer.alloc(17, 1).toString('base64') }],
    ['a salt of 18 bytes', { salt: Buffer.alloc(18, 1).toString('base64') }],
    ['an IV of 11 bytes', { iv: Buffer.alloc(11, 1).toString('base64') }],
    ['no data', { data: '' }],
    ['a byte of data', { data: 'qw==' }],
    ['ten bytes of data', { data: randomBytes(10).toString('base64') }],
    ['data that is shorter than a key', { data: randomBytes(1100).toString('base64') }],
    ['data that is far longer than a key', { data: randomBytes(5000).toString('base64') }],
    ['data that is no base64', { data: `${'q83v'.repeat(406)}=` }],
    ['a member nobody knows', { passphrase: 'secret' }],
  ])('reject a wrapped private key with %s @spec D1-2.4', (_, fault) => {
    expect(refused(wrapped, { ...ENCRYPTED_PRIVATE_KEY, ...fault })).toBe('services.key_invalid');
  });

  const privateKey = clearKey(2048);
  const large = clearKey(3072);
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
  const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'der' });
  const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));

  it.each([
    ['PKCS#8', pkcs8],
    ['PKCS#8 with room for a tag', Buffer.concat([pkcs8, Buffer.alloc(16)])],
    ['PKCS#8 after an IV', Buffer.concat([randomBytes(12), pkcs8])],
    ['PKCS#8 of a larger key', large.export({ type: 'pkcs8', format: 'der' })],
    ['PKCS#1', pkcs1],
    ['PKCS#1 with room for a tag', Buffer.concat([pkcs1, randomBytes(16)])],
    ['PKCS#1 of a larger key', large.export({ type: 'pkcs1', format: 'der' })],
    ['PEM', pem],
    ['PEM of PKCS#1', Buffer.from(privateKey.export({ type: 'pkcs1', format: 'pem' }))],
    ['JWK', Buffer.from(JSON.stringify(privateKey.export({ format: 'jwk' })))],
    ['base64 of PKCS#8', Buffer.from(pkcs8.toString('base64'))],
    ['base64 of PEM', Buffer.from(pem.toString('base64'))],
    ['hex of PKCS#8', Buffer.from(pkcs8.toString('hex'))],
    ['nothing but zeros', Buffer.alloc(1234)],
  ])('reject an unencrypted private key as wrapped data, with a message that says so: %s @spec D1-2.4', (_, key) => {
    const body = { ...ENCRYPTED_PRIVATE_KEY, data: key.toString('base64') };

    expect(refused(wrapped, body)).toBe('services.key_invalid');
    expect(() => readShape(z.object({ encrypted_private_key: wrapped }), { encrypted_private_key: body }, 'body')).toThrow(
      /^encrypted_private_key.data: is a private key in the clear/,
    );
  });

  it('accept every key that createServiceKey generates', async () => {
    for (const { public_key, encrypted_private_key, pem: encrypted } of [await createServiceKey(), ...SERVICE_KEYS]) {
      expect(refused(publicKeyOr('services.key_invalid'), public_key)).toBeUndefined();
      expect(refused(wrapped, encrypted_private_key)).toBeUndefined();
      expect(refused(encryptedPemOr('services.key_invalid'), encrypted)).toBeUndefined();
    }
  });

  const encryptedPem = (cipher: string) => privateKey.export({ type: 'pkcs8', format: 'pem', cipher, passphrase: 'secret' }) as string;
  const framed = (bytes: Uint8Array) =>
    `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${Buffer.from(bytes).toString('base64')}\n-----END ENCRYPTED PRIVATE KEY-----\n`;

  it.each([
    ['a frame around nothing', framed(new Uint8Array()), /must hold a key/],
    ['only the beginning of a frame', '-----BEGIN ENCRYPTED PRIVATE KEY-----', /must be an encrypted PKCS#8 PEM/],
    ['a frame around text', framed(Buffer.from('nothing to see')), /must hold a key/],
    ['a frame around a clear key', framed(pkcs8), /must hold a key/],
    ['a clear key', pem.toString(), /must be an encrypted PKCS#8 PEM/],
    ['a clear key after an encrypted one', `${encryptedPem('aes-256-cbc')}${pem.toString()}`, /must be an encrypted PKCS#8 PEM/],
    ['another cipher', encryptedPem('aes-128-cbc'), /AES-256-CBC/],
    ['more than the longest', framed(randomBytes(10_000)), /must have at most 8192 characters/],
  ])('reject %s as an encrypted PEM, with the reason in the message @spec D1-2.3', (_, text, why) => {
    const read = () => readShape(z.object({ private_key_pem: encryptedPemOr('services.key_invalid') }), { private_key_pem: text }, 'body');
    expect(refused(encryptedPemOr('services.key_invalid'), text)).toBe('services.key_invalid');
    expect(read).toThrow(why);
    expect(read).toThrow(/^private_key_pem: /);
  });

  it('reject an encrypted PEM that is truncated or whose ciphertext is shorter than a key @spec D1-2.3', () => {
    const whole = SERVICE_KEYS[0].pem;
    const der = Buffer.from(whole.split('\n').slice(1, -2).join(''), 'base64');
    // The last element is the ciphertext. Its length and the length of the whole take two octets each.
    const at = der.length - 1232;
    const holding = (bytes: number) => {
      const cut = Buffer.from(der.subarray(0, at + bytes));
      cut.writeUInt16BE(cut.length - 4, 2);
      cut.writeUInt16BE(bytes, at - 2);
      return framed(cut);
    };

    expect(der.readUInt16BE(at - 2)).toBe(1232);
    expect(refused(encryptedPemOr('services.key_invalid'), holding(1232))).toBeUndefined();
    expect(refused(encryptedPemOr('services.key_invalid'), holding(1231))).toBe('services.key_invalid');
    expect(refused(encryptedPemOr('services.key_invalid'), holding(512))).toBe('services.key_invalid');
  });

  it('require 32 bytes for a one-time key, and room for IV and tag in a box @spec D2-8', () => {
    expect(refused(OneTimeKey, ONE_TIME_KEY)).toBeUndefined();
    expect(refused(OneTimeKey, 'AAEC')).toBe('request.invalid');
    for (const bytes of [31, 33]) expect(refused(OneTimeKey, Buffer.alloc(bytes).toString('base64'))).toBe('request.invalid');
    expect(refused(Box, 'AAEC')).toBe('request.invalid');
  });
});
