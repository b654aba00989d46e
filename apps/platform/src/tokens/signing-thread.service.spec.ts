import { generateKeyPairSync, verify } from 'node:crypto';
import { SigningThread } from './signing-thread.service.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const isSigned = (text: string, signature: string) =>
  verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));

describe('the signing thread', () => {
  it('gives each of many texts its own signature', async () => {
    const thread = new SigningThread(privateKey);
    const texts = Array.from({ length: 50 }, (_, nth) => `text ${nth}`);
    const signatures = await Promise.all(texts.map((text) => thread.sign(text)));
    const later = await thread.sign('one more');

    expect(texts.every((text, nth) => isSigned(text, signatures[nth]!))).toBe(true);
    expect(isSigned('one more', later)).toBe(true);
    expect(isSigned('text 1', signatures[0]!)).toBe(false);
  });

  it('fails what it cannot sign, and is asked anew', async () => {
    const thread = new SigningThread(publicKey);

    await expect(thread.sign('first')).rejects.toThrow('key');
    await expect(thread.sign('second')).rejects.toThrow('key');
  });
});
