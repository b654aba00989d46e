import { importValuePublicKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { SealedFileReader } from '../src/sealed-file.ts';

describe('a file that is sealed to the service @gap D1-2.8', () => {
  const [own] = SERVICE_KEYS;

  async function opened(plaintext: string) {
    const key = await importValuePrivateKey(await readPrivateKeyPem(own.pem, own.passphrase));
    const value = await sealValue(await importValuePublicKey(own.public_key), plaintext);
    const reader = new SealedFileReader();
    reader.addAnswer(Buffer.from(JSON.stringify({ encrypted: true, value })));
    return reader.openServed((wrapped_key) => unwrapKey(key, wrapped_key));
  }

  it('is returned as its bytes, or as its envelope when it has pages', async () => {
    const scan = { file: `data:image/png;base64,${'pixels'.repeat(10_000)}`, original_name: 'a.png', mime_type: 'image/png', size: 45_000 };

    expect(await opened(JSON.stringify(scan))).toMatchObject({ name: 'a.png', type: 'image/png' });
    expect(await opened(JSON.stringify({ pages: [scan, scan] }))).toEqual({ envelope: { pages: [scan, scan] } });
  });

  it('is unreadable when its customer sealed more values than a file has', async () => {
    const refusal = expect.objectContaining({ key: 'decryptor.unreadable' });
    const values = JSON.stringify(Array.from({ length: 20_000 }, () => ''));

    await expect(opened(`{"x":${values}}`)).rejects.toEqual(refusal);
    await expect(opened(`{"x":${values},"file":"${'pixels'.repeat(10_000)}","more":"${'pixels'.repeat(10_000)}"}`)).rejects.toEqual(
      refusal,
    );
  });
});
