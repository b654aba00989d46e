import { newValuesKey, openValues, sealValues } from './values-seal.ts';

describe('values of a sign-in @spec D1-4.6', () => {
  const key = newValuesKey('ses_1', 'the code');
  const sealed_values = sealValues(key.seal_key, 'ses_1', { email: 'ana@example.org' });
  const stored = { session_id: 'ses_1', ...key, sealed_values };

  it('are decrypted with the authorization code', () => {
    expect(openValues(stored, 'the code')).toEqual({ email: 'ana@example.org' });
  });

  it.each([
    ['another code', stored, 'the cod'],
    ['another sign-in', { ...stored, session_id: 'ses_2' }, 'the code'],
    ['the key of another sign-in', { ...stored, ...newValuesKey('ses_1', 'the code') }, 'the code'],
    ['changed values', { ...stored, sealed_values: `${sealed_values.slice(0, -4)}AAAA` }, 'the code'],
    ['values that are none', { ...stored, sealed_values: 'x' }, 'the code'],
  ])('are not decrypted with %s', (_, changed, code) => {
    expect(openValues(changed, code)).toBeUndefined();
  });

  it('have another ciphertext each time', () => {
    expect(sealValues(key.seal_key, 'ses_1', { email: 'ana@example.org' })).not.toBe(sealed_values);
  });
});
