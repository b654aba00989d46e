import { Chromium, findChromium } from '@codase/testing';
import {
  createOneTimeKey,
  createServiceKey,
  importAccountPublicKey,
  importValuePublicKey,
  openBoxText,
  sealAccountEnvelope,
  sealBox,
  sealValue,
  signWebhook,
} from '../../src/index.ts';
import {
  importAccountPrivateKey,
  importValuePrivateKey,
  openAccountEnvelope,
  openEncryptedPrivateKey,
  openValue,
  readPrivateKeyPem,
} from '../../src/open.ts';
import { other, passphrase, pkcs8, public_key, vectors } from '../keys.ts';
import { bundleForBrowser } from './bundle.ts';
import type { page } from './page.ts';

const found = findChromium();
const PEM = vectors.pems['as the portal writes it'];

it('the browser bundle is smaller than 8 KB when gzipped', async () => {
  const { gzipped } = await bundleForBrowser('./page.ts');
  expect(gzipped).toBeLessThan(8 * 1024);
});

it('the main entry point contains no code that uses private keys', async () => {
  const mainEntry = await bundleForBrowser('../../src/index.ts');
  const openEntry = await bundleForBrowser('../../src/open.ts');

  expect(mainEntry.files.filter((file) => file.includes('src/open'))).toEqual([]);
  expect(openEntry.files.filter((file) => file.includes('src/open/'))).not.toEqual([]);
  expect(mainEntry.code).not.toContain('decrypt("RSA-OAEP"');
  expect(openEntry.code).toContain('decrypt("RSA-OAEP"');
});

if (found) {
  describe(`in ${found.version}`, () => {
    let browser: Chromium;
    beforeAll(async () => {
      browser = await Chromium.open(found.command);
      await browser.runs((await bundleForBrowser('./page.ts')).code);
    });
    afterAll(() => browser?.close());

    type Page = typeof page;
    type Outcome<T> = { value?: T; refused?: string };
    const ask = async <Name extends keyof Page>(name: Name, ...args: Parameters<Page[Name]>) =>
      (await browser.evaluate(`codase.call(${JSON.stringify(name)}, ${JSON.stringify(args)})`)) as Outcome<Awaited<ReturnType<Page[Name]>>>;

    it('the browser page runs in a secure context without Node', async () => {
      expect(await ask('isSecureContext')).toEqual({ value: true });
      expect(await ask('hasNode')).toEqual({ value: false });
    });

    const texts = ['', 'Ada', 'Åsa 🏠', '\ufeffkept', 'x'.repeat(100_000)];
    it.each(texts)("the browser and Node open each other's values @spec D1-2.3", async (text) => {
      const sealedThere = await ask('sealValue', public_key, text);
      expect(await openValue(await importValuePrivateKey(pkcs8), sealedThere.value!)).toBe(text);

      const sealedHere = await sealValue(await importValuePublicKey(public_key), text);
      expect(await ask('openValue', PEM, passphrase, sealedHere)).toEqual({ value: text });
    });

    it("the browser and Node open each other's account envelopes @spec D1-2.3", async () => {
      const sealedThere = await ask('sealAccountEnvelope', public_key, '<event/>');
      expect(await openAccountEnvelope(await importAccountPrivateKey(pkcs8), sealedThere.value!)).toBe('<event/>');

      const sealedHere = await sealAccountEnvelope(await importAccountPublicKey(public_key), '<event/>');
      expect(await ask('openAccountEnvelope', PEM, passphrase, sealedHere)).toEqual({ value: '<event/>' });
    });

    it('the browser opens values sealed by OpenSSL @spec D1-2.3', async () => {
      for (const { text, plaintext } of vectors.madeByOpenssl.values) {
        expect(await ask('openValue', PEM, passphrase, text)).toEqual({ value: plaintext });
      }
    });

    it('the browser creates a service key that Node opens from both forms @spec D1-2.4', async () => {
      const { value: service } = await ask('createServiceKey');
      const wrapper = await sealValue(await importValuePublicKey(service!.public_key), 'Ada');

      const fromMember = await openEncryptedPrivateKey(service!.encrypted_private_key, service!.passphrase);
      const fromPem = await readPrivateKeyPem(service!.pem, service!.passphrase);

      expect(await openValue(await importValuePrivateKey(fromMember), wrapper)).toBe('Ada');
      expect(await openValue(await importValuePrivateKey(fromPem), wrapper)).toBe('Ada');
    });

    it('the browser opens a service key of Node and writes its PEM @spec D1-2.3 @spec D1-2.4', async () => {
      const service = await createServiceKey();
      const wrapper = await sealValue(await importValuePublicKey(service.public_key), 'Ada');

      const written = await ask('pemOf', service.encrypted_private_key, service.passphrase);
      const rewritten = await ask('rewritePem', service.pem, service.passphrase, 'another');

      for (const [pem, words] of [
        [written.value!, service.passphrase],
        [rewritten.value!, 'another'],
      ] as const) {
        expect(await openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, words)), wrapper)).toBe('Ada');
      }
    });

    it('the browser and Node agree on boxes, signatures and hashes @spec D1-2.7 @spec D1-6.4 @spec D2-4.1 @spec D2-4.3', async () => {
      const otk = createOneTimeKey();
      const { signature, attestation } = vectors.madeByOpenssl;

      expect(await openBoxText(otk, (await ask('sealBox', otk, 'Åsa')).value!)).toBe('Åsa');
      expect(await ask('openBoxText', otk, await sealBox(otk, 'Åsa'))).toEqual({ value: 'Åsa' });
      expect(await ask('signWebhook', signature.secret, signature.body)).toEqual({ value: signature.hex });
      expect(await ask('isWebhookSignature', 'hush', 'body', await signWebhook('hush', Buffer.from('body')))).toEqual({ value: true });
      expect(await ask('isWebhookSignature', 'hush', 'Body', await signWebhook('hush', Buffer.from('body')))).toEqual({ value: false });
      expect(await ask('publicKeySha256', public_key)).toEqual({ value: vectors.key.public_key_sha256 });
      expect(await ask('isAttested', attestation, attestation.plaintext)).toEqual({ value: true });
    });

    it('the browser refuses what Node refuses with the same errors @gap D1-2.3', async () => {
      const toAnother = await sealValue(await importValuePublicKey(other.public_key_of_pem), 'Ada');

      for (const bad of ['', 'Ada', toAnother, vectors.madeByOpenssl.accountEnvelopes[1]!.text]) {
        expect(await ask('openValue', PEM, passphrase, bad)).toEqual({ refused: 'envelope' });
      }
      for (const pem of Object.values(vectors.refused.pems)) {
        expect(await ask('openValue', pem, passphrase, toAnother)).toEqual({ refused: 'private_key' });
      }
      for (const key of Object.values(vectors.refused.publicKeys)) {
        expect(await ask('sealValue', key, 'Ada')).toEqual({ refused: 'public_key' });
      }
      expect(await ask('openBoxText', createOneTimeKey(), await sealBox(createOneTimeKey(), 'x'))).toEqual({ refused: 'envelope' });
    });
  });
} else {
  it('the crypto library is only bundled for a browser, as this machine has no Chromium or Chrome', async () => {
    expect((await bundleForBrowser('./page.ts')).code).toContain('crypto.subtle');
  });
}
