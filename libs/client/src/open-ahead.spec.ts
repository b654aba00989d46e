import { Refusal, SEALED_CHARS, type FeedEvent, type Opened, type Sealed, type ToOpen } from '@codase/contracts';
import { byKind, type Handlers } from './handlers.ts';
import { OpenedEvent } from './open-ahead.ts';

const EVERY = { id: 'evt_1', person_user_id: 'usr_ana', share_code: null, at: '2026-03-02T10:00:00Z' };
const message = (body: string) => ({ ...EVERY, event: 'message_received', body }) as unknown as FeedEvent;
const field = (value: string | undefined) => ({ ...EVERY, event: 'field_updated', slug: 'email', value }) as unknown as FeedEvent;

describe('values opened ahead of the handler', () => {
  let requests: ToOpen[];
  beforeEach(() => (requests = []));

  const opener = {
    open: async (toOpen: ToOpen): Promise<Opened> => {
      requests.push(toOpen);
      if (toOpen.value.includes('?')) throw new Refusal('decryptor.unreadable');
      return { plaintext: `clear ${toOpen.value}`, attested: null };
    },
  };
  const none = () => {};
  const openedBy = (handlers: Handlers<null>, event: FeedEvent) =>
    OpenedEvent.of(opener, event, byKind(handlers).get(event.event) as never);

  it('are the members that the handler declares, whether it takes events one by one or together', () => {
    openedBy({ message_received: { opens: ['body'], handle: none } }, message('a'));
    openedBy({ field_updated: { opens: ['value'], together: none } }, field('b'));

    expect(requests).toEqual([{ value: 'a' }, { value: 'b' }]);
  });

  it('are none for a plain function, which opens by itself', async () => {
    const opened = openedBy({ message_received: none }, message('a'));
    expect([opened.isAhead, requests]).toEqual([false, []]);

    expect(await opened.open({ value: 'a' as Sealed })).toMatchObject({ plaintext: 'clear a' });
  });

  it('are requested once, and an unreadable one fails when the handler opens it', async () => {
    const handlers: Handlers<null> = { message_received: { opens: ['body'], handle: none } };
    const [readable, unreadable] = [openedBy(handlers, message('a')), openedBy(handlers, message('?'))];
    await Promise.all([readable.settled, unreadable.settled]);

    expect(await readable.open({ value: 'a' as Sealed })).toMatchObject({ plaintext: 'clear a' });
    await expect(unreadable.open({ value: '?' as Sealed })).rejects.toMatchObject({ key: 'decryptor.unreadable' });
    expect(requests).toHaveLength(2);
  });

  it('are requested with the options that a function declares, and again when the handler gives others', async () => {
    const verification = { verified_hash: 'h', verified_salt: 's' } as ToOpen['verification'];
    const handlers: Handlers<null> = {
      field_updated: { opens: ({ value }) => (value ? [{ value, field_type: 'email', verification }] : []), handle: none },
    };
    const opened = openedBy(handlers, field('a'));

    await opened.open({ value: 'a' as Sealed, field_type: 'email', verification: { ...verification! } });
    expect(requests).toHaveLength(1);
    await opened.open({ value: 'a' as Sealed, field_type: 'text' });
    expect(requests).toHaveLength(2);
  });

  it('do not include a member that an event lacks, nor a value that is opened by its own key', () => {
    const handlers: Handlers<null> = { field_updated: { opens: ['value'], handle: none } };
    openedBy(handlers, field(undefined));
    openedBy(handlers, field('x'.repeat(SEALED_CHARS + 1)));

    expect(requests).toEqual([]);
  });
});
