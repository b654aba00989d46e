import type { CodaseClient } from '@codase/client';
import { QUICK, sealedWord, Suite } from './a-suite.ts';

describe('opening values', () => {
  let suite: Suite;
  let codase: CodaseClient;
  beforeAll(async () => {
    suite = await Suite.open();
    codase = await suite.connects();
  });
  afterAll(() => suite?.close());

  const words = (n: number) => Array.from({ length: n }, (_, i) => ({ value: sealedWord(`word ${i}`) }));
  const plaintexts = (items: readonly object[]) => items.map((item) => (item as { plaintext?: string }).plaintext);

  it("uses few requests within the decryptor's limit, and returns the results in order", async () => {
    const decryptor = await suite.playsDecryptor();

    const items = await codase.open(words(60));

    expect(plaintexts(items)).toEqual(Array.from({ length: 60 }, (_, i) => `word ${i}`));
    expect(decryptor.batches.toSorted((a, b) => b - a)).toEqual([25, 25, 10]);
    await decryptor.stop();
  });

  it('combines concurrent calls into one request', async () => {
    const decryptor = await suite.playsDecryptor();

    const [one, two] = await Promise.all([codase.open(words(1)), codase.open(words(2))]);

    expect([plaintexts(one), plaintexts(two)]).toEqual([['word 0'], ['word 0', 'word 1']]);
    expect(decryptor.batches).toEqual([3]);
    await decryptor.stop();
  });

  it('sends no more at once than the bus carries in either direction', async () => {
    const decryptor = await suite.playsDecryptor();

    // The bus of this test carries a megabyte.
    await codase.open(Array.from({ length: 4 }, () => ({ value: sealedWord('x'.repeat(120_000)) })));

    expect(decryptor.batches).toEqual([1, 1, 1, 1]);
    await decryptor.stop();
  });

  it('does not let unreadable values affect the others', async () => {
    const decryptor = await suite.playsDecryptor();

    const items = await codase.open([{ value: sealedWord('fine') }, { value: sealedWord('garbled?') }, { value: 'in the clear' as never }]);

    const unreadable = { error_key: 'decryptor.unreadable' };
    expect(items).toEqual([expect.objectContaining({ plaintext: 'fine' }), unreadable, unreadable]);
    expect(decryptor.batches).toEqual([2]);
    await expect(codase.open([{ value: sealedWord('fine'), field_type: '' }])).rejects.toMatchObject({ key: 'request.invalid' });
    await decryptor.stop();
  });

  it('fails with service.unavailable when nobody answers', async () => {
    await expect(codase.open(words(1))).rejects.toMatchObject({ key: 'service.unavailable' });
  });

  it('combines the values of several persons whose events are handled at once', async () => {
    const decryptor = await suite.playsDecryptor();
    const persons = Array.from({ length: 32 }, (_, i) => `usr_${i}`);
    for (const person of persons) await suite.shares(person, person);

    const opened = new Set<string>();
    let arrived = 0;
    let all = () => {};
    const together = new Promise<void>((resolve) => (all = resolve));
    const done = new Promise<void>((resolve) => {
      void codase.handle(
        'customers',
        suite.inbox(),
        {
          field_updated: async ({ value }, { open }) => {
            if (++arrived === 8) all();
            await together; // eight of them hold an event before the first one asks
            opened.add((await open({ value: value! })).plaintext);
            if (opened.size === persons.length) resolve();
          },
        },
        QUICK,
      );
    });
    await done;

    expect([...opened].toSorted()).toEqual(persons.toSorted());
    expect(Math.max(...decryptor.batches)).toBeGreaterThanOrEqual(8);
    await decryptor.stop();
  });
});
