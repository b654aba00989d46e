import { randomBytes } from 'node:crypto';
import { keyList } from './key-list.ts';
import { StoredSecrets } from './stored-secrets.ts';

describe('stored secrets @spec D1-2.9', () => {
  const key = randomBytes(32);
  const stored = new StoredSecrets(keyList(key));
  const secrets = { auth_token: 'a token of ours', auth_username: 'Jürgen' };

  it('are decrypted for their owner', () => {
    expect(stored.open(stored.seal(secrets, 'wh_1'), 'wh_1')).toEqual(secrets);
    expect(new StoredSecrets(keyList(key)).open(stored.seal({}, 'wh_1'), 'wh_1')).toEqual({});
  });

  it('do not contain the plaintext, and have another ciphertext each time', () => {
    const sealed = stored.seal(secrets, 'wh_1');

    expect(Buffer.from(sealed.split(':')[1]!, 'base64url').toString('latin1')).not.toContain('token');
    expect(stored.seal(secrets, 'wh_1')).not.toBe(sealed);
  });

  const sealed = stored.seal(secrets, 'wh_1');
  const flipped = sealed.slice(0, -1) + (sealed.endsWith('A') ? 'Q' : 'A');

  it.each([
    ['of another owner', () => stored.open(sealed, 'wh_2')],
    ['under another key', () => new StoredSecrets(keyList(randomBytes(32))).open(sealed, 'wh_1')],
    ['that were touched', () => stored.open(flipped, 'wh_1')],
    ['of another key id', () => stored.open(sealed.replace(/^[^:]+/, 'another'), 'wh_1')],
    ['that are cut short', () => stored.open(sealed.slice(0, 12), 'wh_1')],
  ])('secrets %s are refused, with an error that reveals nothing of them', (_, open) => {
    expect(open).toThrow(/^the stored secrets of wh_[12] do not open: is STORED_SECRETS_KEY the one they were written with\?$/);
  });

  it('are encrypted with the first key of the list, and decrypted with any key of it', () => {
    const next = randomBytes(32);
    const [before, rotated] = [new StoredSecrets(keyList(key, next)), new StoredSecrets(keyList(next, key))];

    expect([stored, before, rotated].map((one) => one.isCurrent(sealed))).toEqual([true, true, false]);
    expect(rotated.open(sealed, 'wh_1')).toEqual(secrets);
    expect(before.open(rotated.seal(secrets, 'wh_1'), 'wh_1')).toEqual(secrets);
    expect(() => stored.open(rotated.seal(secrets, 'wh_1'), 'wh_1')).toThrow('do not open');
  });

  it('from before keys had ids are decrypted with any key of the list', () => {
    const old = sealed.replace(/^[^:]+/, '1');

    expect(new StoredSecrets(keyList(randomBytes(32), key)).open(old, 'wh_1')).toEqual(secrets);
    expect(stored.isCurrent(old)).toBe(false);
  });

  it('require a key of 32 bytes', () => {
    expect(() => keyList(randomBytes(31))).toThrow('give 32 random ones');
  });
});
