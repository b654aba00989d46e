import { readFileSync } from 'node:fs';
import { buildPdf } from '../test/build-pdf.ts';
import { PLATFORM, SEAL } from '../test/identities.ts';
import { fingerprint, IdentityFault } from './certificates.ts';
import { readPkcs12 } from './pkcs12.ts';
import { seal } from './seal.ts';
import { verify } from './verify.ts';

const file = (name: string) => readFileSync(new URL(`../test/fixtures/p12/${name}.p12`, import.meta.url));

describe("an operator's PKCS#12 file", () => {
  it.each(['modern-rsa', 'legacy-rsa'])('yields the certificate and its key: %s', (name) => {
    const { certificate, key, chain } = readPkcs12(file(name), 'secret');

    expect(fingerprint(certificate)).toBe(fingerprint(PLATFORM.certificate));
    expect(key.equals(PLATFORM.key)).toBe(true);
    expect(chain).toEqual([]);
  });

  it('yields an elliptic curve key with its issuer that can seal a PDF', async () => {
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
  ])('is refused with a clear message: %s with the password "%s"', (name, password, sentence) => {
    expect(() => readPkcs12(file(name), password)).toThrow(IdentityFault);
    expect(() => readPkcs12(file(name), password)).toThrow(sentence);
  });

  it('is refused when it is truncated or not a PKCS#12 file', () => {
    expect(() => readPkcs12(file('modern-rsa').subarray(0, 900), 'secret')).toThrow('does not open');
    expect(() => readPkcs12(Buffer.from('hello'), 'secret')).toThrow('does not open');
  });
});
