import { randomBytes } from 'node:crypto';
import { keyList } from '../../kit/secrets/key-list.ts';
import { StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { sealForTransfer, storeTransferred, transferKey } from './secrets-transfer.ts';

const stored = (...keys: Buffer[]) => new StoredSecrets(keyList(...keys));

describe('stored secrets of a company that moves @gap D1-5.6', () => {
  const [ofEu, ofUs] = [randomBytes(32), randomBytes(32)];
  const [eu, us] = [stored(ofEu), stored(ofUs)];
  const secrets = { hmac_secret: 'whsec_1' };
  const sealed = eu.seal(secrets, 'wh_1');
  const sent = sealForTransfer(eu, sealed, 'wh_1', transferKey(us.keys));

  it('are sealed to the new region, and by it under a key of its own', () => {
    const kept = storeTransferred(us, sent, 'wh_1');

    expect(us.open(kept, 'wh_1')).toEqual(secrets);
    expect(us.isCurrent(kept)).toBe(true);
  });

  it('are opened by nobody else, and for no other row', () => {
    for (const other of [eu, stored(randomBytes(32))]) expect(() => storeTransferred(other, sent, 'wh_1')).toThrow('do not open');
    expect(() => storeTransferred(us, sent, 'wh_2')).toThrow('do not open');
    expect(() => us.open(sealed, 'wh_1')).toThrow('do not open');
  });

  it('still open when the key of the new region is rotated meanwhile', () => {
    const rotated = stored(randomBytes(32), ofUs);

    expect(rotated.open(storeTransferred(rotated, sent, 'wh_1'), 'wh_1')).toEqual(secrets);
  });

  it('are taken as they are from a version that shared its key', () => {
    const both = stored(ofUs, ofEu);

    expect(us.open(storeTransferred(both, sealed, 'wh_1'), 'wh_1')).toEqual(secrets);
  });
});
