import {
  createServiceKey,
  importAccountPublicKey,
  importValuePublicKey,
  isAttested,
  openBoxText,
  publicKeySha256,
  sealAccountEnvelope,
  sealBox,
  sealValue,
  signWebhook,
} from '../src/index.ts';
import {
  importAccountPrivateKey,
  importValuePrivateKey,
  openAccountEnvelope,
  openEncryptedPrivateKey,
  openValue,
  readPrivateKeyPem,
} from '../src/open.ts';
import { other, passphrase, pkcs8, public_key, vectors } from './keys.ts';
import { Openssl } from './openssl.ts';
import { envelope, partsOf } from './vectors/vectors.ts';

const { madeByOpenssl, openedByOpenssl } = vectors;
const valueKey = await importValuePrivateKey(pkcs8);
const accountKey = await importAccountPrivateKey(pkcs8);

describe(`vectors of ${vectors.openssl}`, () => {
  it('contain values, account envelopes and boxes of OpenSSL that the crypto library opens @spec D1-2.3 @spec D2-4.3', async () => {
    for (const { text, plaintext } of madeByOpenssl.values) expect(await openValue(valueKey, text)).toBe(plaintext);
    for (const { text, plaintext } of madeByOpenssl.accountEnvelopes) expect(await openAccountEnvelope(accountKey, text)).toBe(plaintext);
    for (const { otk, text, plaintext } of madeByOpenssl.boxes) expect(await openBoxText(otk, text)).toBe(plaintext);
  });

  it('contain values, account envelopes and boxes of the crypto library that OpenSSL opened @spec D1-2.3 @spec D2-4.3', async () => {
    for (const { text, plaintext } of openedByOpenssl.values) expect(await openValue(valueKey, text)).toBe(plaintext);
    for (const { text, plaintext } of openedByOpenssl.accountEnvelopes) expect(await openAccountEnvelope(accountKey, text)).toBe(plaintext);
    for (const { otk, text, plaintext } of openedByOpenssl.boxes) expect(await openBoxText(otk, text)).toBe(plaintext);
  });

  it.each(Object.entries(vectors.pems))('contain a PEM that OpenSSL wrote %s and the crypto library reads @spec D1-2.3', async (_, pem) => {
    expect(Buffer.from(await readPrivateKeyPem(pem, passphrase)).equals(pkcs8)).toBe(true);
  });

  it('contain the same public key for both forms of a service key @spec D1-2.4', async () => {
    const key = await importValuePrivateKey(await openEncryptedPrivateKey(other.encrypted_private_key, other.passphrase));
    expect(other.public_key_of_pem).toBe(other.public_key_of_encrypted_private_key);
    expect(await openValue(key, await sealValue(await importValuePublicKey(other.public_key_of_pem), 'Ada'))).toBe('Ada');
  });

  it('agree with the digests, signatures and attestations of the crypto library @spec D1-2.7 @spec D1-6.4 @spec D2-4.1', async () => {
    const { signature, attestation } = madeByOpenssl;
    expect(await publicKeySha256(public_key)).toBe(vectors.key.public_key_sha256);
    expect(await signWebhook(signature.secret, Buffer.from(signature.body))).toBe(signature.hex);
    expect(await isAttested(attestation, attestation.plaintext)).toBe(true);
  });
});

const version = Openssl.version();

if (version) {
  describe(`the ${version} on this machine`, () => {
    const openssl = new Openssl();
    const privatePem = openssl.decryptPem(vectors.pems['with the fewest iterations'], passphrase);
    const texts = ['', 'Ada', 'Åsa 🏠', 'x'.repeat(100_000)];
    afterAll(() => openssl.dispose());

    it('exchanges values with the crypto library in both directions @spec D1-2.3', async () => {
      const recipient = await importValuePublicKey(public_key);
      for (const text of texts) {
        expect(openssl.open('sha256', privatePem, partsOf(await sealValue(recipient, text))).toString()).toBe(text);
        expect(await openValue(valueKey, envelope(openssl.seal('sha256', privatePem, Buffer.from(text))))).toBe(text);
      }
    });

    it('exchanges account envelopes with the crypto library in both directions @spec D1-2.3', async () => {
      const account = await importAccountPublicKey(public_key);
      for (const text of texts) {
        expect(openssl.open('sha1', privatePem, partsOf(await sealAccountEnvelope(account, text))).toString()).toBe(text);
        expect(await openAccountEnvelope(accountKey, envelope(openssl.seal('sha1', privatePem, Buffer.from(text))))).toBe(text);
      }
    });

    it('exchanges boxes with the crypto library in both directions @spec D2-4.3', async () => {
      const { key, iv, d } = openssl.sealGcm(Buffer.from('PDF'));
      const otk = key.toString('base64');
      expect(await openBoxText(otk, Buffer.concat([iv, d]).toString('base64'))).toBe('PDF');

      const box = Buffer.from(await sealBox(otk, 'PDF'), 'base64');
      expect(openssl.openGcm(key, box.subarray(0, 12), box.subarray(12)).toString()).toBe('PDF');
    });

    it('opens both forms of a new service key with the public key of createServiceKey @spec D1-2.3 @spec D1-2.4', async () => {
      const service = await createServiceKey();
      const { iter, salt, iv, data } = service.encrypted_private_key;

      const wrapKey = openssl.pbkdf2(service.passphrase, Buffer.from(salt, 'base64'), iter);
      const der = openssl.openGcm(wrapKey, Buffer.from(iv, 'base64'), Buffer.from(data, 'base64'));

      expect(openssl.run(['pkey', '-inform', 'DER', '-pubout', '-outform', 'DER'], der).toString('base64')).toBe(service.public_key);
      expect(openssl.publicKey(openssl.decryptPem(service.pem, service.passphrase))).toBe(service.public_key);
    });

    it('computes the same webhook signature as signWebhook over arbitrary bytes @spec D1-6.4', async () => {
      const body = Buffer.from([0, 255, 10, 13, 0]);
      expect(await signWebhook('hush', body)).toBe(openssl.hmac('hush', body));
    });
  });
} else {
  it('only the recorded OpenSSL vectors are tested, as this machine has no OpenSSL 3', () => {
    expect(Openssl.version()).toBeUndefined();
  });
}
