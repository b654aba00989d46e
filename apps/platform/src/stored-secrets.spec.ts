import { randomBytes } from 'node:crypto';
import { StoredSecrets } from './stored-secrets.ts';

describe('stored secrets @spec D1-2.9', () => {
  const key = randomBytes(32);
  const stored = new StoredSecrets(key);
  const secrets = { auth_token: 'a token of ours', auth_username: 'Jürgen' };

  it('open again for their owner', () => {
    expect(stored.open(stored.seal(secrets, 'wh_1'), 'wh_1')).toEqual(secrets);
    expect(new StoredSecrets(key).open(stored.seal({}, 'wh_1'), 'wh_1')).toEqual({});
  });

  it('show nothing, and never the same ciphertext', () => {
    const sealed = stored.seal(secrets, 'wh_1');

    expect(Buffer.from(sealed.split(':')[1]!, 'base64url').toString('latin1')).not.toContain('token');
    expect(stored.seal(secrets, 'wh_1')).not.toBe(sealed);
  });

  const sealed = stored.seal(secrets, 'wh_1');
  const flipped = sealed.slice(0, -1) + (sealed.endsWith('A') ? 'Q' : 'A');

  it.each([
    ['of another owner', () => stored.open(sealed, 'wh_2')],
    ['under another key', () => new StoredSecrets(randomBytes(32)).open(sealed, 'wh_1')],
    ['that were touched', () => stored.open(flipped, 'wh_1')],
    ['of another key id', () => stored.open(sealed.replace('1:', '2:'), 'wh_1')],
    ['that are cut short', () => stored.open(sealed.slice(0, 12), 'wh_1')],
  ])('do not open %s, and the error tells nothing of them', (_, open) => {
    expect(open).toThrow(/^the stored secrets of wh_[12] do not open: is STORED_SECRETS_KEY the one they were written with\?$/);
  });

  it('want a key of 32 bytes', () => {
    expect(() => new StoredSecrets(randomBytes(31))).toThrow('give 32 random ones');
  });
});
