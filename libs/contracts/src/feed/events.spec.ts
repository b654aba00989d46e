import { AT, LATER, PUBLIC_KEY, SEALED, SHA256 } from '../core/samples.ts';
import { collapseKey, COLLAPSES } from './collapse.ts';
import { EventName, NEVER_EMITTED } from './event-names.ts';
import { EVENT } from './examples.ts';
import { FeedEvent, ReceivedEvent } from './feed-event.ts';

const every = { id: 'evt_1', person_user_id: 'user_55d1', share_code: null, at: AT };
const document = { document_id: 'doc_66f0', name: 'Offer', kind: 'document', payload_kind: 'file' };
const unsigned = {
  method: null,
  content_sha256: null,
  signed_at: null,
  sealed_at: null,
  plain_sha256: null,
  signer_first_name: null,
  signer_last_name: null,
  signer_name_verified: null,
};

const MEMBERS: Record<EventName, object> = {
  connection_created: { customer_type: 'person' },
  connection_deleted: { customer_type: 'company' },
  field_updated: { slug: 'home_address', live: true, value: SEALED },
  field_deleted: { slug: 'home_address' },
  consent_accepted: { slug: 'home_address' },
  consent_declined: { slug: 'home_address' },
  document_status_changed: {
    document_id: 'doc_66f0',
    status: 'ended',
    action: 'cancelled',
    cancel_effective_date: '2026-03-02',
    ...unsigned,
  },
  document_created: document,
  document_updated: document,
  document_deleted: document,
  connection_request_accepted: { request_id: 'creq_40' },
  connection_request_rejected: { request_id: 'creq_40' },
  flow_run_turn: { flow_run_id: 'run_8e61', awaiting_party: 'company' },
  flow_completed: { flow_run_id: 'run_8e61' },
  '2fa_challenge_completed': { challenge_id: 'chal_c05b', status: 'approved', completed_at: LATER },
  key_rotated: { public_key_sha256: SHA256 },
  message_received: { connection_id: 'conn_7b20', message_id: 'msg_1', person_public_key: PUBLIC_KEY, created_at: AT, body: SEALED },
};
const event = (name: EventName) => ({ event: name, ...every, ...MEMBERS[name] });
const passes = (value: unknown) => FeedEvent.safeParse(value).success;

describe('a feed event', () => {
  it.each(EventName.options)('requires all members of its kind and accepts no others: %s', (name) => {
    expect(FeedEvent.parse(event(name))).toEqual(event(name));
    expect(passes({ ...event(name), source_field_id: 'f_1' })).toBe(false);
    for (const member of [...Object.keys(every), ...Object.keys(MEMBERS[name])])
      expect([member, passes({ ...event(name), [member]: undefined })]).toEqual([member, false]);
  });

  it('carries either a value or the URL of a file, never both or neither', () => {
    const { value, ...bare } = EVENT as Extract<FeedEvent, { event: 'field_updated' }>;

    expect(passes({ ...bare, value_url: '/api/company-data/connections/c/slots/s/file' })).toBe(true);
    expect(passes({ ...bare, value, value_url: '/x' })).toBe(false);
    expect(passes(bare)).toBe(false);
  });

  it('cannot report an expired challenge or a waiting document', () => {
    expect(passes({ ...event('2fa_challenge_completed'), status: 'expired' })).toBe(false);
    expect(passes({ ...event('document_status_changed'), status: 'waiting' })).toBe(false);
  });

  it('is never of a kind that the specification only reserves', () => {
    expect(NEVER_EMITTED).toEqual(['key_rotated']);
  });
});

describe('an event received from a newer platform', () => {
  const takes = (value: unknown) => ReceivedEvent.safeParse(value).success;

  it('keeps unknown members and may be of an unknown kind', () => {
    const [more, later] = [
      { ...event('flow_completed'), seal: 'x' },
      { event: 'mood_changed', ...every, mood: 'good' },
    ];

    expect([ReceivedEvent.parse(more), ReceivedEvent.parse(later)]).toEqual([more, later]);
  });

  it('is rejected without the members of its kind, or when its kind is not a valid subject token', () => {
    expect(takes({ ...event('flow_completed'), flow_run_id: undefined })).toBe(false);
    expect(takes({ event: 'mood_changed' })).toBe(false);
    expect(takes({ event: 'mood.>', ...every })).toBe(false);
  });

  it('may report the outcome of a challenge with only the members that the specification shows @spec D1-6.1 @gap D1-6.1', () => {
    const { id: _, person_user_id: __, at: ___, ...body } = event('2fa_challenge_completed');
    const taken = { ...body, id: 'chal_c05b', at: LATER };

    expect(ReceivedEvent.parse(body)).toEqual(taken);
    expect(ReceivedEvent.parse(taken)).toEqual(taken);
    expect(takes({ ...body, status: 'expired' })).toBe(false);
    expect(takes({ ...body, person_user_id: 7 })).toBe(false);
  });
});

describe('collapsing of feed events', () => {
  const keyOf = (name: EventName, change: object = {}) => collapseKey(FeedEvent.parse({ ...event(name), ...change }));

  it('keeps only the latest status of a document and the latest answer and outcome of a person', () => {
    expect(keyOf('document_status_changed')).toBe(
      keyOf('document_status_changed', {
        id: 'evt_2',
        status: 'active',
        cancel_effective_date: null,
        action: 'signed',
      }),
    );
    expect(keyOf('connection_request_accepted')).toBe(keyOf('connection_request_rejected', { request_id: 'creq_41' }));
    expect(keyOf('2fa_challenge_completed')).toBe(keyOf('2fa_challenge_completed', { challenge_id: 'chal_2' }));
    expect(keyOf('document_status_changed')).not.toBe(keyOf('document_status_changed', { document_id: 'doc_2' }));
    expect(keyOf('connection_request_accepted')).not.toBe(keyOf('2fa_challenge_completed'));
  });

  it('never replaces an event of any other kind', () => {
    expect(EventName.options.filter((name) => keyOf(name) !== null).sort()).toEqual(Object.keys(COLLAPSES).sort());
  });
});
