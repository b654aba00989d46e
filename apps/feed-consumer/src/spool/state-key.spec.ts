import { FeedEvent, ReceivedEvent } from '@codase/contracts';
import { stateKey } from './spooled-event.ts';

const AT = '2026-03-02T10:00:00.000Z';
const every = { id: 'evt_1', person_user_id: 'usr_1', share_code: null, at: AT };
const keyOf = (event: string, members: object = {}) => stateKey(FeedEvent.parse({ event, ...every, ...members }));

describe('state key of an event', () => {
  it('is the slot for field_updated and field_deleted', () => {
    expect(keyOf('field_deleted', { slug: 'city' })).toBe(keyOf('field_updated', { slug: 'city', live: true, value: '{}' }));
    expect(keyOf('field_deleted', { slug: 'city' })).not.toBe(keyOf('field_deleted', { slug: 'phone' }));
    expect(keyOf('field_deleted', { slug: 'city' })).not.toBe(keyOf('field_deleted', { slug: 'city', person_user_id: 'usr_2' }));
  });

  it('is the connection for connection events, and a prefix of the keys of its slots', () => {
    expect(keyOf('connection_created', { customer_type: 'person' })).toBe('usr_1');
    expect(keyOf('field_deleted', { slug: 'city' })).toBe(`${keyOf('connection_deleted', { customer_type: 'person' })}/city`);
  });

  it('is the same for all answers of a person to connect requests @spec D1-6.2', () => {
    expect(keyOf('connection_request_accepted', { request_id: 'creq_1' })).toBe(
      keyOf('connection_request_rejected', { request_id: 'creq_2' }),
    );
  });

  it('is null for an event that no later event replaces', () => {
    expect([keyOf('consent_accepted', { slug: 'city' }), keyOf('flow_completed', { flow_run_id: 'run_1' })]).toEqual([null, null]);
    const outcome = { event: '2fa_challenge_completed', challenge_id: 'chal_1', share_code: null, status: 'denied', completed_at: AT };
    expect(stateKey(ReceivedEvent.parse(outcome))).toBeNull();
  });
});
