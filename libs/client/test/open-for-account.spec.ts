import type { CodaseClient } from '@codase/client';
import { OPEN_ACCOUNT_VALUES, UNWRAP_ACCOUNT_VALUE, type Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { collectTelemetry } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { sealedWord, Suite } from './a-suite.ts';

const { measured } = collectTelemetry();

describe('opening values that are sealed to the account key @gap D1-4.6', () => {
  const [account] = SERVICE_KEYS;
  let suite: Suite;
  let page: CodaseClient;
  beforeAll(async () => {
    suite = await Suite.open();
    page = await suite.connects({ user: 'sign-in-page' });
  });
  afterAll(() => suite?.close());

  it('uses few requests, and unreadable values do not affect the others', async () => {
    const decryptor = await suite.playsDecryptor(OPEN_ACCOUNT_VALUES);

    const items = await page.openForAccount([
      ...Array.from({ length: 30 }, (_, i) => ({ value: sealedWord(`word ${i}`) })),
      { value: sealedWord('garbled?') },
      { value: 'in the clear' as Sealed },
      { value: undefined as never },
    ]);

    const unreadable = { error_key: 'decryptor.unreadable' };
    expect(items.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, i) => expect.objectContaining({ plaintext: `word ${i}` })));
    expect(items.slice(30)).toEqual([unreadable, unreadable, unreadable]);
    expect(decryptor.batches.toSorted((a, b) => b - a)).toEqual([25, 6]);
    expect(await measured()).toContainEqual({ name: 'codase.client.opened', value: 31, attributes: { 'codase.service': 'account' } });
    await expect(page.openForAccount([{ value: sealedWord('fine'), field_type: '' }])).rejects.toMatchObject({ key: 'request.invalid' });
    await decryptor.stop();
  });

  it('accepts values of any length', async () => {
    const text = JSON.stringify({ file: 'x'.repeat(2 * 1024 * 1024) });
    const key = await importValuePrivateKey(await readPrivateKeyPem(account.pem, account.passphrase));
    const answering = await (
      await suite.as('decryptor')
    ).answer(UNWRAP_ACCOUNT_VALUE, {}, async ({ wrapped_key }) => ({ value_key: await unwrapKey(key, wrapped_key) }));

    const value = (await sealValue(await importValuePublicKey(account.public_key), text)) as Sealed;

    expect(await page.openForAccount([{ value }])).toEqual([{ plaintext: text, attested: null }]);
    await answering.drain();
  });

  it("requires a right of its own, separate from the right to open a service's values", async () => {
    const decryptors = [await suite.playsDecryptor(), await suite.playsDecryptor(OPEN_ACCOUNT_VALUES)];
    const shop = await suite.connects();
    const refused = { key: 'auth.client_endpoint_forbidden' };

    await expect(shop.openForAccount([{ value: sealedWord('claim') }])).rejects.toMatchObject(refused);
    await expect(page.open([{ value: sealedWord('value') }])).rejects.toMatchObject(refused);

    expect(decryptors.map(({ batches }) => batches)).toEqual([[], []]);
    for (const decryptor of decryptors) await decryptor.stop();
  });

  it('fails with service.unavailable when nobody answers', async () => {
    await expect(page.openForAccount([{ value: sealedWord('claim') }])).rejects.toMatchObject({ key: 'service.unavailable' });
  });
});
