import { OPEN_VALUE, OPEN_VALUES, type Refusal } from '@codase/contracts';
import { Suite } from './suite.ts';

describe('a decryptor flooded by one caller', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await Suite.open({ QUEUE_VALUES: '400' });
  });
  afterAll(() => suite?.close());

  it('keeps serving the other callers', async () => {
    const [desk, shop] = [await suite.as('desk-backend'), await suite.as('shop-backend')];
    const [desks, shops] = [await suite.seals('desk', 'much'), await suite.seals('shop', 'little')];
    const values = Array.from({ length: 50 }, () => ({ value: desks }));
    const over = new AbortController();
    let refused = 0;
    const floods = Array.from({ length: 12 }, async () => {
      while (!over.signal.aborted)
        await desk.request(OPEN_VALUES, { service: 'desk' }, { values }, { timeout: 30_000 }).catch(() => void (refused += 1));
    });

    const answers: string[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const answer = await shop
        .request(OPEN_VALUE, { service: 'shop' }, { value: shops }, { timeout: 30_000 })
        .catch(({ key, message }: Refusal) => ({ plaintext: `${key}: ${message}` }));
      answers.push(answer.plaintext);
    }
    over.abort();
    await Promise.all(floods);

    expect(refused).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set(['little']));
  });
});
