import { jest } from '@jest/globals';
import { passphrase, pkcs8, public_key } from '../test/keys.ts';
import { equalSecrets, importAccountPublicKey, importValuePublicKey, isWebhookSignature, sealAccountEnvelope, sealValue } from './index.ts';
import {
  createReplyKey,
  importAccountPrivateKey,
  importValuePrivateKey,
  openAccountEnvelope,
  openValue,
  readPrivateKeyPem,
  writePrivateKeyPem,
} from './open.ts';

const LONG = 'x'.repeat(100_000); // short values do not go through WebCrypto

async function everyUseOfAKey(): Promise<void> {
  const value = await sealValue(await importValuePublicKey(public_key), LONG);
  await openValue(await importValuePrivateKey(pkcs8), value);
  const envelope = await sealAccountEnvelope(await importAccountPublicKey(public_key), LONG);
  await openAccountEnvelope(await importAccountPrivateKey(pkcs8), envelope);
  await readPrivateKeyPem(await writePrivateKeyPem(pkcs8, passphrase), passphrase);
  await createReplyKey();
  await isWebhookSignature('secret', new Uint8Array(), '00'.repeat(32));
  await equalSecrets('given', 'expected');
}

it('no key that the crypto library imports or generates can be exported @spec D1-2.4', async () => {
  const [imported, made] = [jest.spyOn(crypto.subtle, 'importKey'), jest.spyOn(crypto.subtle, 'generateKey')];
  try {
    await everyUseOfAKey();

    expect([imported, made].map(({ mock }) => mock.calls.length > 0)).toEqual([true, true]);
    expect(imported.mock.calls.filter(([, , , extractable]) => extractable)).toEqual([]);
    expect(made.mock.calls.filter(([, extractable]) => extractable)).toEqual([]);
  } finally {
    for (const spy of [imported, made]) spy.mockRestore();
  }
});
