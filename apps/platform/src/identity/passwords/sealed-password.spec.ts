import { newSealingKey, openPassword, sealPassword } from './sealed-password.ts';

describe('a password on its way to the front door', () => {
  const key = newSealingKey();
  const sealed = sealPassword(key.public_key, 'usr_1', 'correct hörse');

  it('is opened by the process it was sealed to', () => {
    expect(openPassword(key, 'usr_1', sealed)).toBe('correct hörse');
    expect(openPassword(key, 'usr_1', sealPassword(key.public_key, 'usr_1', ''))).toBe('');
  });

  it('is opened by nobody else, for nobody else, and not when a bit was changed', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[40]! ^= 1;

    expect(openPassword(newSealingKey(), 'usr_1', sealed)).toBeUndefined();
    expect(openPassword(key, 'usr_2', sealed)).toBeUndefined();
    expect(openPassword(key, 'usr_1', bytes.toString('base64url'))).toBeUndefined();
  });

  it.each(['', 'x', 'A'.repeat(200)])('is not in %j', (text) => {
    expect(openPassword(key, 'usr_1', text)).toBeUndefined();
  });

  it('looks different each time', () => {
    expect(sealPassword(key.public_key, 'usr_1', 'correct hörse')).not.toBe(sealed);
  });
});
