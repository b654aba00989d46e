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
  it('opens the values, account envelopes and boxes it made @spec D1-2.3 @spec D2-4.3', async () => {
    for (const { text, plaintext } of madeByOpenssl.values) expect(await openValue(valueKey, text)).toBe(plaintext);
    for (const { text, plaintext } of madeByOpenssl.accountEnvelopes) expect(await openAccountEnvelope(accountKey, text)).toBe(plaintext);
    for (const { otk, text, plaintext } of madeByOpenssl.boxes) expect(await openBoxText(otk, text)).toBe(plaintext);
  });

  it('sealed what it opened @spec D1-2.3 @spec D2-4.3', async () => {
    for (const { text, plaintext } of openedByOpenssl.values) expect(await openValue(valueKey, text)).toBe(plaintext);
    for (const { text, plaintext } of openedByOpenssl.accountEnvelopes) expect(await openAccountEnvelope(accountKey, text)).toBe(plaintext);
    for (const { otk, text, plaintext } of openedByOpenssl.boxes) expect(await openBoxText(otk, text)).toBe(plaintext);
  });

  it.each(Object.entries(vectors.pems))('reads the PEM it wrote %s @spec D1-2.3', async (_, pem) => {
    expect(Buffer.from(await readPrivateKeyPem(pem, passphrase)).equals(pkcs8)).toBe(true);
  });

  it('agrees on the public half of a service key of ours, from both of its forms @spec D1-2.4', async () => {
    const key = await importValuePrivateKey(await openEncryptedPrivateKey(other.encrypted_private_key, other.passphrase));
    expect(other.public_key_of_pem).toBe(other.public_key_of_encrypted_private_key);
    expect(await openValue(key, await sealValue(await importValuePublicKey(other.public_key_of_pem), 'Ada'))).toBe('Ada');
  });

  it('agrees on digests and signatures @spec D1-2.7 @spec D1-6.4 @spec D2-4.1', async () => {
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

    it('opens our values, and we open its values @spec D1-2.3', async () => {
      const recipient = await importValuePublicKey(public_key);
      for (const text of texts) {
        expect(openssl.open('sha256', privatePem, partsOf(await sealValue(recipient, text))).toString()).toBe(text);
        expect(await openValue(valueKey, envelope(openssl.seal('sha256', privatePem, Buffer.from(text))))).toBe(text);
      }
    });

    it('opens our account envelopes, and we open its own @spec D1-2.3', async () => {
      const account = await importAccountPublicKey(public_key);
      for (const text of texts) {
        expect(openssl.open('sha1', privatePem, partsOf(await sealAccountEnvelope(account, text))).toString()).toBe(text);
        expect(await openAccountEnvelope(accountKey, envelope(openssl.seal('sha1', privatePem, Buffer.from(text))))).toBe(text);
      }
    });

    it('opens our boxes, and we open its boxes @spec D2-4.3', async () => {
      const { key, iv, d } = openssl.sealGcm(Buffer.from('PDF'));
      const otk = key.toString('base64');
      expect(await openBoxText(otk, Buffer.concat([iv, d]).toString('base64'))).toBe('PDF');

      const box = Buffer.from(await sealBox(otk, 'PDF'), 'base64');
      expect(openssl.openGcm(key, box.subarray(0, 12), box.subarray(12)).toString()).toBe('PDF');
    });

    it('opens both forms of a new service key @spec D1-2.3 @spec D1-2.4', async () => {
      const service = await createServiceKey();
      const { iter, salt, iv, data } = service.encrypted_private_key;

      const wrapKey = openssl.pbkdf2(service.passphrase, Buffer.from(salt, 'base64'), iter);
      const der = openssl.openGcm(wrapKey, Buffer.from(iv, 'base64'), Buffer.from(data, 'base64'));

      expect(openssl.run(['pkey', '-inform', 'DER', '-pubout', '-outform', 'DER'], der).toString('base64')).toBe(service.public_key);
      expect(openssl.publicKey(openssl.decryptPem(service.pem, service.passphrase))).toBe(service.public_key);
    });

    it('agrees on signatures over any bytes @spec D1-6.4', async () => {
      const body = Buffer.from([0, 255, 10, 13, 0]);
      expect(await signWebhook('hush', body)).toBe(openssl.hmac('hush', body));
    });
  });
} else {
  it('has no OpenSSL 3 on this machine: the vectors above stand for it', () => {
    expect(Openssl.version()).toBeUndefined();
  });
}
