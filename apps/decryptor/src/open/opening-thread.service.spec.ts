import { importValuePublicKey, sealValue } from '@codase/crypto';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { valueThreadKey, type ThreadKey } from '@codase/crypto/threads';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { OpeningThreads, valuesOfMessage, type Sealed } from './opening-thread.service.ts';

const [shop, desk] = SERVICE_KEYS;

describe('opening threads', () => {
  const threads = new OpeningThreads(2);
  let keys: Record<'shop' | 'desk', ThreadKey>;
  let [little, much]: Sealed[] = [];
  beforeAll(async () => {
    const [shops, desks] = await Promise.all([shop, desk].map(({ pem, passphrase }) => readPrivateKeyPem(pem, passphrase)));
    keys = { shop: await valueThreadKey(shops!), desk: await valueThreadKey(desks!) };
    little = { kind: 'value', text: await sealValue(await importValuePublicKey(shop.public_key), 'little') };
    much = { kind: 'value', text: await sealValue(await importValuePublicKey(desk.public_key), 'much') };
  });
  afterAll(() => threads.close());

  it('return results in the order of the values, and mark those that do not decrypt', async () => {
    const key = threads.add(keys.shop);

    const opened = await threads.open(key, [little!, much!, ...Array.from({ length: 20 }, () => little!)]);

    expect(opened.map((item) => item?.plaintext)).toEqual(['little', undefined, ...Array.from({ length: 20 }, () => 'little')]);
    expect(await threads.open(key, [])).toEqual([]);
  });

  it('serve a small request before a large one for another key', async () => {
    const [shops, desks] = [threads.add(keys.shop), threads.add(keys.desk)];
    let isManyDone = false;
    const many = threads.open(
      desks,
      Array.from({ length: 120 }, () => much!),
    );
    void many.then(() => (isManyDone = true));

    expect(await threads.open(shops, [little!])).toEqual([{ plaintext: 'little', attested: null }]);
    expect(isManyDone).toBe(false);
    expect(await many).toHaveLength(120);
  });

  it('decrypt values that were requested before their key was removed', async () => {
    const key = threads.add(keys.shop);
    const opening = threads.open(
      key,
      Array.from({ length: 40 }, () => little!),
    );
    threads.remove(key);

    expect((await opening).every((item) => item?.plaintext === 'little')).toBe(true);
  });

  it('fail the values of a thread that broke, and accept new ones', async () => {
    const [key, unknown] = [threads.add(keys.shop), threads.add(keys.desk)];
    threads.remove(unknown);

    await expect(threads.open(unknown, [much!])).rejects.toThrow('undefined');
    expect(await threads.open(key, [little!, little!, little!])).toHaveLength(3);
  });

  it.each([
    ['slow', 3.4, 4],
    ['quick', 1.4, 10],
    ['as quick as none', 0.01, 16],
    ['slow because of others', 200, 4],
  ])('take batches that are a few milliseconds of work, when RSA is %s', (_, valueMs, values) => {
    expect(valuesOfMessage(valueMs)).toBe(values);
  });
});
