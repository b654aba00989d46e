import { readFileSync } from 'node:fs';
import { buildPdf } from '../test/build-pdf.ts';
import { PLATFORM, SEAL } from '../test/identities.ts';
import { fingerprint, IdentityFault } from './certificates.ts';
import { readPkcs12 } from './pkcs12.ts';
import { seal } from './seal.ts';
import { verify } from './verify.ts';

const file = (name: string) => readFileSync(new URL(`../test/fixtures/p12/${name}.p12`, import.meta.url));

describe("an operator's PKCS#12 file", () => {
  it.each(['modern-rsa', 'legacy-rsa'])('%s gives the certificate and its key', (name) => {
    const { certificate, key, chain } = readPkcs12(file(name), 'secret');

    expect(fingerprint(certificate)).toBe(fingerprint(PLATFORM.certificate));
    expect(key.equals(PLATFORM.key)).toBe(true);
    expect(chain).toEqual([]);
  });

  it('with a key on a curve and its issuer seals as well', async () => {
    const identity = readPkcs12(file('elliptic-chain'), 'secret');

    const sealed = await seal(buildPdf(), { ...SEAL, ...identity });

    expect(identity.chain!.map(({ subject }) => subject)).toEqual(['CN=Test CA']);
    expect(verify(sealed, { certificates: [identity.certificate] })).toMatchObject({
      verdict: 'sealed',
      signatures: [{ certificate: { subject: 'CN=Operator seal, O=Operator', issuer: 'CN=Test CA' } }],
    });
  });

  it.each([
    ['modern-rsa', 'wrong', 'does not open'],
    ['no-key', 'secret', 'has no private key'],
    ['weak-rsa', 'secret', 'RSA keys of 2,048 bits or more'],
  ])('%s with the password "%s" is refused by a sentence', (name, password, sentence) => {
    expect(() => readPkcs12(file(name), password)).toThrow(IdentityFault);
    expect(() => readPkcs12(file(name), password)).toThrow(sentence);
  });

  it('that is cut or something else is refused too', () => {
    expect(() => readPkcs12(file('modern-rsa').subarray(0, 900), 'secret')).toThrow('does not open');
    expect(() => readPkcs12(Buffer.from('hello'), 'secret')).toThrow('does not open');
  });
});
