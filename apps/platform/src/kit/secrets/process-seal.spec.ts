import { newSealingKey, openAtProcess, sealToProcess, type SealingKey } from './process-seal.ts';

const ANA = { use: 'test', owner_id: 'usr_1' };
const sealPassword = (key: string, owner_id: string, secret: string) => sealToProcess(key, { ...ANA, owner_id }, secret);
const openPassword = (key: SealingKey, owner_id: string, text: string) => openAtProcess(key, { ...ANA, owner_id }, text);

describe('secret sealed to a process', () => {
  const key = newSealingKey();
  const sealed = sealPassword(key.public_key, 'usr_1', 'correct hörse');

  it('is decrypted by that process', () => {
    expect(openPassword(key, 'usr_1', sealed)).toBe('correct hörse');
    expect(openPassword(key, 'usr_1', sealPassword(key.public_key, 'usr_1', ''))).toBe('');
  });

  it('cannot be decrypted by another process, for another owner or use, or when it was changed', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[40]! ^= 1;

    expect(openPassword(newSealingKey(), 'usr_1', sealed)).toBeUndefined();
    expect(openPassword(key, 'usr_2', sealed)).toBeUndefined();
    expect(openAtProcess(key, { ...ANA, use: 'other' }, sealed)).toBeUndefined();
    expect(openPassword(key, 'usr_1', bytes.toString('base64url'))).toBeUndefined();
  });

  it.each(['', 'x', 'A'.repeat(200)])('is not found in the malformed text %j', (text) => {
    expect(openPassword(key, 'usr_1', text)).toBeUndefined();
  });

  it('has another ciphertext each time', () => {
    expect(sealPassword(key.public_key, 'usr_1', 'correct hörse')).not.toBe(sealed);
  });
});
