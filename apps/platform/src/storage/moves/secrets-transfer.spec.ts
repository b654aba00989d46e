import { randomBytes } from 'node:crypto';
import { keyList } from '../../kit/secrets/key-list.ts';
import { StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { sealForTransfer, storeTransferred, transferKey } from './secrets-transfer.ts';

const stored = (...keys: Buffer[]) => new StoredSecrets(keyList(...keys));

describe('stored secrets of a moving company @gap D1-5.6', () => {
  const [ofEu, ofUs] = [randomBytes(32), randomBytes(32)];
  const [eu, us] = [stored(ofEu), stored(ofUs)];
  const secrets = { hmac_secret: 'whsec_1' };
  const sealed = eu.seal(secrets, 'wh_1');
  const sent = sealForTransfer(eu, sealed, 'wh_1', transferKey(us.keys));

  it('are sealed to the new region, which seals them again under its own key', () => {
    const kept = storeTransferred(us, sent, 'wh_1');

    expect(us.open(kept, 'wh_1')).toEqual(secrets);
    expect(us.isCurrent(kept)).toBe(true);
  });

  it('cannot be decrypted by another region or for another row', () => {
    for (const other of [eu, stored(randomBytes(32))]) expect(() => storeTransferred(other, sent, 'wh_1')).toThrow('do not open');
    expect(() => storeTransferred(us, sent, 'wh_2')).toThrow('do not open');
    expect(() => us.open(sealed, 'wh_1')).toThrow('do not open');
  });

  it('can be decrypted when the new region rotated its key meanwhile', () => {
    const rotated = stored(randomBytes(32), ofUs);

    expect(rotated.open(storeTransferred(rotated, sent, 'wh_1'), 'wh_1')).toEqual(secrets);
  });

  it('are accepted unchanged from an earlier version whose regions shared a key', () => {
    const both = stored(ofUs, ofEu);

    expect(us.open(storeTransferred(both, sealed, 'wh_1'), 'wh_1')).toEqual(secrets);
  });
});
