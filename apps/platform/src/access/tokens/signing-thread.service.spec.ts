import { generateKeyPairSync, verify } from 'node:crypto';
import { SigningThread } from './signing-thread.service.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const isSigned = (text: string, signature: string) =>
  verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));

describe('SigningThread', () => {
  it('returns the right signature for each of many simultaneous texts', async () => {
    const thread = new SigningThread(privateKey);
    const texts = Array.from({ length: 50 }, (_, nth) => `text ${nth}`);
    const signatures = await Promise.all(texts.map((text) => thread.sign(text)));
    const later = await thread.sign('one more');

    expect(texts.every((text, nth) => isSigned(text, signatures[nth]!))).toBe(true);
    expect(isSigned('one more', later)).toBe(true);
    expect(isSigned('text 1', signatures[0]!)).toBe(false);
  });

  it('starts its worker at the first two simultaneous texts, and reuses it', async () => {
    let begun = 0;
    const begins = () => void (begun += 1);
    process.on('worker', begins);
    const thread = new SigningThread(privateKey);

    expect(isSigned('alone', await thread.sign('alone'))).toBe(true);
    expect(isSigned('later', await thread.sign('later'))).toBe(true);
    expect(begun).toBe(0);
    await Promise.all(['one', 'other'].map((text) => thread.sign(text)));
    await thread.sign('after them');
    expect(begun).toBe(1);
    thread.close();
    process.off('worker', begins);
  });

  it('rejects the texts that it cannot sign, and keeps accepting texts afterwards', async () => {
    const thread = new SigningThread(publicKey);
    const signing = (...texts: string[]) => Promise.all(texts.map((text) => thread.sign(text)));

    await expect(signing('alone')).rejects.toThrow('key');
    await expect(signing('first', 'second')).rejects.toThrow('key');
    await expect(signing('third', 'fourth')).rejects.toThrow('key');
    await expect(signing('alone again')).rejects.toThrow('key');
  });
});
