import { createServiceKey, importValuePublicKey, isEnvelope, sealValue } from '@cds/crypto';
import fc from 'fast-check';
import { SEALED_CHARS } from './limits.ts';
import { refused } from './refused.check.ts';
import { ENCRYPTED_PRIVATE_KEY, ONE_TIME_KEY, SEALED } from './samples.ts';
import { Box, encryptedPrivateKeyOr, isBase64, isSealed, OneTimeKey, publicKeyOr, Sealed } from './sealed.ts';

describe('a sealed value @spec D1-2.3', () => {
  it('is what the crypto library seals', async () => {
    const { public_key, encrypted_private_key } = await createServiceKey();
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
  ])('is not %s', (_, value) => {
    expect(refused(Sealed, value)).toBe('contact_data.encryption_required');
  });

  it('may have white space between its members', () => {
    expect(refused(Sealed, JSON.stringify({ _enc, k, iv, d }, null, 2))).toBeUndefined();
  });

  it('is bounded', () => {
    expect(refused(Sealed, JSON.stringify({ _enc, k, iv, d: 'A'.repeat(SEALED_CHARS) }))).toBe('request.invalid');
  });

  it('is what the crypto library would take for an envelope', () => {
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

it('base64 is padded, of the standard alphabet, without white space and stray bits', () => {
  expect(['', 'AAEC', 'AAE=', 'AA=='].every(isBase64)).toBe(true);
  expect(['AAE', 'AA=A', '=AAA', 'A===', '====', 'AA E', 'AAE-', 'AAEC\n', 'AA==AAEC', 'AAF=', 'AB=='].some(isBase64)).toBe(false);
});

describe('keys in a request', () => {
  const wrapped = encryptedPrivateKeyOr('services.key_invalid');

  it.each([
    ['fewer iterations', { iter: 1000 }],
    ['a long salt', { salt: 'AAECAwQFBgcICQoLDA0ODxAREhM=' }],
    ['no data', { data: '' }],
    ['a member nobody knows', { passphrase: 'secret' }],
  ])('a wrap with %s is refused @spec D1-2.4', (_, fault) => {
    expect(refused(wrapped, { ...ENCRYPTED_PRIVATE_KEY, ...fault })).toBe('services.key_invalid');
  });

  it('a one-time key has 32 bytes, and a box room for IV and tag @spec D2-8', () => {
    expect(refused(OneTimeKey, ONE_TIME_KEY)).toBeUndefined();
    expect(refused(OneTimeKey, 'AAEC')).toBe('request.invalid');
    expect(refused(Box, 'AAEC')).toBe('request.invalid');
  });
});
