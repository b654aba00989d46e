import type { EventBody } from './new-event.ts';
import { slotName, type SlotState } from './slots.ts';
import { slotOf, presentEvent } from './present-event.ts';

const EVERY = { person_user_id: 'usr_1', share_code: 'ANA', at: '2026-11-15T08:00:00.000Z' };
const queued = (body: object) => ({ id: 'evt_1', connection_id: 'con_1', body: { ...EVERY, ...body } as EventBody });
const updated = queued({ event: 'field_updated', slug: 'email' });
const holding = (state: object) => new Map([[slotName({ connection_id: 'con_1', slug: 'email' }), state as SlotState]]);

describe('an event as it is told @spec D1-6.1', () => {
  it.each([[{ live: true, value: 'sealed' }], [{ live: false, value_url: '/file' }]])('carries what its slot holds now: %j', (state) => {
    expect(presentEvent(updated, holding(state))).toEqual({ id: 'evt_1', event: 'field_updated', ...EVERY, slug: 'email', ...state });
  });

  it('is a deleted field when the slot is empty by then', () => {
    expect(presentEvent(updated, new Map())).toEqual({ id: 'evt_1', event: 'field_deleted', ...EVERY, slug: 'email' });
  });

  it('of a deleted field carries no value, even when the slot is filled again', () => {
    const deleted = queued({ event: 'field_deleted', slug: 'email' });

    expect(slotOf(deleted)).toBeUndefined();
    expect(presentEvent(deleted, holding({ live: true, value: 'sealed' }))).toEqual({
      id: 'evt_1',
      event: 'field_deleted',
      ...EVERY,
      slug: 'email',
    });
  });
});
