import { FeedEvent } from '@codase/contracts';
import { contentKey } from './content-key.ts';

const every = { id: 'evt_1', person_user_id: 'usr_1', share_code: null, at: '2026-03-02T10:00:00.000Z' };
const reported = { event: 'field_deleted', ...every, slug: 'city' };
const keyOf = (change: object = {}) => contentKey(FeedEvent.parse({ ...reported, ...change }));

describe('content key of a delivery @spec D1-6.3', () => {
  it('ignores the id and the order of the members', () => {
    expect(keyOf({ id: 'evt_2' })).toBe(keyOf());
    expect(contentKey(FeedEvent.parse(Object.fromEntries(Object.entries(reported).toReversed())))).toBe(keyOf());
  });

  it.each([
    { person_user_id: 'usr_2' },
    { slug: 'phone' },
    { at: '2026-03-02T10:00:01.000Z' },
    { event: 'consent_declined' },
    { share_code: 'ANA' },
  ])('changes with %j', (change) => {
    expect(keyOf(change)).not.toBe(keyOf());
  });
});
