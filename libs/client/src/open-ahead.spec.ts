import { Refusal, type FeedEvent, type Opened, type ToOpen } from '@codase/contracts';
import { OpenAhead } from './open-ahead.ts';

const EVERY = { id: 'evt_1', person_user_id: 'usr_ana', share_code: null, at: '2026-03-02T10:00:00Z' };
const message = (body: string) => ({ ...EVERY, event: 'message_received', body }) as unknown as FeedEvent;
const field = (value: string | undefined, field_type: string) =>
  ({ ...EVERY, event: 'field_updated', slug: 'email', field_type, value }) as unknown as FeedEvent;

describe('values opened ahead of the handler', () => {
  let asked: ToOpen[];
  let ahead: OpenAhead;
  beforeEach(() => {
    asked = [];
    ahead = new OpenAhead({
      open: async (toOpen): Promise<Opened> => {
        asked.push(toOpen);
        if (toOpen.value.includes('?')) throw new Refusal('decryptor.unreadable');
        return { plaintext: `clear ${toOpen.value}`, attested: null };
      },
    });
  });

  /** Handles an event and opens these values of it. Returns the plaintexts. */
  const handles = async (event: FeedEvent, ...opens: object[]): Promise<string[]> => {
    const opened = ahead.of(event);
    const clear = await Promise.all(opens.map((toOpen) => opened.open(toOpen as ToOpen)));
    opened.end();
    return clear.map(({ plaintext }) => plaintext);
  };
  const learns = async (times = 11) => {
    for (let n = 0; n < times; n++) await handles(message(`m${n}`), { value: `m${n}` });
    asked = [];
  };
  const askedAheadOf = async (...events: FeedEvent[]) => {
    const opened = events.map((event) => ahead.of(event));
    await Promise.all(opened.map(({ settled }) => settled));
    return asked;
  };

  it('are those that the handler opened in ten earlier events of the same kind', async () => {
    await learns(10);
    expect(await askedAheadOf(message('a'))).toEqual([]);

    await learns(1);

    expect(await askedAheadOf(message('a'), message('b'))).toEqual([{ value: 'a' }, { value: 'b' }]);
    expect(await askedAheadOf(field('c', 'email'))).toHaveLength(2);
  });

  it('are requested once, and an unreadable one fails when the handler opens it', async () => {
    await learns();

    expect(await handles(message('a'), { value: 'a' })).toEqual(['clear a']);
    await expect(handles(message('?'), { value: '?' })).rejects.toMatchObject({ key: 'decryptor.unreadable' });

    expect(asked).toHaveLength(2);
  });

  it('are requested with the options of the handler, taken from the event or constant', async () => {
    for (let n = 0; n < 11; n++) await handles(field(`v${n}`, `type${n}`), { value: `v${n}`, field_type: `type${n}` });
    asked = [];

    expect(await askedAheadOf(field('a', 'date'))).toEqual([{ value: 'a', field_type: 'date' }]);
    expect(await askedAheadOf(field(undefined, 'date'))).toHaveLength(1);
  });

  it('are no longer requested once the handler stops opening them', async () => {
    await learns();
    await handles(message('a'));
    asked = [];

    expect(await askedAheadOf(message('b'))).toEqual([]);
  });

  it('do not include values that are not part of the event', async () => {
    for (let n = 0; n < 12; n++) await handles(message(`m${n}`), { value: 'from elsewhere' });
    asked = [];

    expect(await askedAheadOf(message('b'))).toEqual([]);
  });
});
