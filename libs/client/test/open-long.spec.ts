import type { CodaseClient } from '@codase/client';
import { SEALED_CHARS, UNWRAP_KEY, UPLOAD_CHARS, type Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue, verifiedHash, type ServiceKey } from '@codase/crypto';
import { importValuePrivateKey, readPrivateKeyPem, unwrapKey } from '@codase/crypto/open';
import { eventually } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { QUICK, sealedWord, Suite } from './a-suite.ts';

const seals = async ({ public_key }: ServiceKey, text: string) => (await sealValue(await importValuePublicKey(public_key), text)) as Sealed;

describe('a value longer than the bus carries @gap D1-2.8', () => {
  const [own, another] = SERVICE_KEYS;
  const FILE = `{"file":"data:application/pdf;base64,${'JVBERi0x'.repeat(500_000)}"}`;
  let suite: Suite;
  let codase: CodaseClient;
  let requests = 0;
  beforeAll(async () => {
    suite = await Suite.open();
    codase = await suite.connects();
    const key = await importValuePrivateKey(await readPrivateKeyPem(own.pem, own.passphrase));
    await (
      await suite.as('decryptor')
    ).answer(UNWRAP_KEY, {}, async ({ wrapped_key }) => {
      requests++;
      return { value_key: await unwrapKey(key, wrapped_key) };
    });
  });
  afterAll(() => suite?.close());

  it('is opened in the client with its own unwrapped key, while shorter values are opened by the decryptor', async () => {
    const decryptor = await suite.playsDecryptor();
    const value = await seals(own, FILE);
    expect(value.length).toBeGreaterThan(4 * 1024 * 1024);

    const items = await codase.open([{ value: sealedWord('short') }, { value }]);

    expect(items).toEqual([expect.objectContaining({ plaintext: 'short' }), { plaintext: FILE, attested: null }]);
    expect([decryptor.batches, requests]).toEqual([[1], 1]);
    await decryptor.stop();
  });

  it('is attested like any other value, and not checked against its field type', async () => {
    const value = await seals(own, FILE);
    const verification = { verified_salt: 'pepper', verified_hash: await verifiedHash('pepper', FILE) };

    const items = await codase.open([
      { value, verification, field_type: 'document' },
      { value, verification: { ...verification, verified_salt: 'salt' } },
    ]);

    expect(items).toEqual([
      { plaintext: FILE, attested: true },
      { plaintext: FILE, attested: false },
    ]);
    await expect(codase.open([{ value, field_type: '' }])).rejects.toMatchObject({ key: 'request.invalid' });
  });

  it('is reported at its position as unreadable or too large', async () => {
    const foreign = await seals(another, FILE);
    const noWrapper = 'x'.repeat(SEALED_CHARS + 1) as Sealed;
    const endless = 'x'.repeat(UPLOAD_CHARS + 1) as Sealed;

    expect(await codase.open([{ value: foreign }, { value: noWrapper }, { value: endless }])).toEqual([
      { error_key: 'decryptor.unreadable' },
      { error_key: 'decryptor.unreadable' },
      { error_key: 'documents.too_large' },
    ]);
  });

  it('is opened by a handler like any other value, and its event is parked at once when it is too large', async () => {
    const value = await seals(own, FILE);
    const opened: string[] = [];
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: async ({ person_user_id }, { open }) => {
          if (person_user_id === 'usr_ben') await open({ value: 'x'.repeat(UPLOAD_CHARS + 1) as Sealed });
          opened.push((await open({ value })).plaintext);
        },
      },
      { ...QUICK, backoffMs: [60_000] },
    );
    await suite.joins('usr_ben');
    await suite.joins('usr_ana');

    await eventually(async () => ((await suite.parked()) === 1 && opened.length === 1 ? true : undefined));
    expect(opened).toEqual([FILE]);
  });
});
