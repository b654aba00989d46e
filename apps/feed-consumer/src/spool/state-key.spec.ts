import { FeedEvent, ReceivedEvent } from '@codase/contracts';
import { stateKey } from './state-key.ts';

const AT = '2026-03-02T10:00:00.000Z';
const every = { id: 'evt_1', person_user_id: 'usr_1', share_code: null, at: AT };
const keyOf = (event: string, members: object = {}) => stateKey(FeedEvent.parse({ event, ...every, ...members }));

describe('what an event tells the state of', () => {
  it('is a slot, for what comes into it and goes out of it', () => {
    expect(keyOf('field_deleted', { slug: 'city' })).toBe(keyOf('field_updated', { slug: 'city', live: true, value: '{}' }));
    expect(keyOf('field_deleted', { slug: 'city' })).not.toBe(keyOf('field_deleted', { slug: 'phone' }));
    expect(keyOf('field_deleted', { slug: 'city' })).not.toBe(keyOf('field_deleted', { slug: 'city', person_user_id: 'usr_2' }));
  });

  it('is a whole connection, with its slots', () => {
    expect(keyOf('connection_created', { customer_type: 'person' })).toBe('usr_1');
    expect(keyOf('field_deleted', { slug: 'city' })).toBe(`${keyOf('connection_deleted', { customer_type: 'person' })}/city`);
  });

  it('is what the platform itself tells the latest of @spec D1-6.2', () => {
    expect(keyOf('connection_request_accepted', { request_id: 'creq_1' })).toBe(
      keyOf('connection_request_rejected', { request_id: 'creq_2' }),
    );
  });

  it('is nothing for an event that always stands', () => {
    expect([keyOf('consent_accepted', { slug: 'city' }), keyOf('flow_completed', { flow_run_id: 'run_1' })]).toEqual([null, null]);
    const outcome = { event: '2fa_challenge_completed', challenge_id: 'chal_1', share_code: null, status: 'denied', completed_at: AT };
    expect(stateKey(ReceivedEvent.parse(outcome))).toBeNull();
  });
});
