import type { EventBody } from './new-event.ts';
import { slotName, type SlotState } from './slots.ts';
import { slotOf, presentEvent } from './present-event.ts';

const EVERY = { person_user_id: 'usr_1', share_code: 'ANA', at: '2026-11-15T08:00:00.000Z' };
const queued = (body: object) => ({ id: 'evt_1', connection_id: 'con_1', body: { ...EVERY, ...body } as EventBody });
const updated = queued({ event: 'field_updated', slug: 'email' });
const holding = (state: object) => new Map([[slotName({ connection_id: 'con_1', slug: 'email' }), state as SlotState]]);

describe('presentEvent @spec D1-6.1', () => {
  it.each([[{ live: true, value: 'sealed' }], [{ live: false, value_url: '/file' }]])(
    'returns an update with the current value of its slot: %j',
    (state) => {
      expect(presentEvent(updated, holding(state))).toEqual({ id: 'evt_1', event: 'field_updated', ...EVERY, slug: 'email', ...state });
    },
  );

  it('returns an update as field_deleted when its slot is empty by now', () => {
    expect(presentEvent(updated, new Map())).toEqual({ id: 'evt_1', event: 'field_deleted', ...EVERY, slug: 'email' });
  });

  it('returns field_deleted without a value, even when the slot has a value again', () => {
    const deleted = queued({ event: 'field_deleted', slug: 'email' });

    expect(slotOf({ ...deleted, company_user_id: 'usr_acme' })).toBeUndefined();
    expect(presentEvent(deleted, holding({ live: true, value: 'sealed' }))).toEqual({
      id: 'evt_1',
      event: 'field_deleted',
      ...EVERY,
      slug: 'email',
    });
  });
});
