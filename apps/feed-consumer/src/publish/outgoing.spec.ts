import { outgoing } from './outgoing.ts';

const stored = {
  service: 'shop',
  message_id: 'evt_1',
  shard: 3,
  event_id: 'evt_1',
  event: 'field_updated',
  at: new Date('2026-03-02T10:00:00Z'),
  body: Buffer.from('{}'),
  mark: null,
  traceparent: null,
} as const;

describe('outgoing message of an event', () => {
  it('has its context in headers and nothing of a person in its subject', () => {
    expect(outgoing(stored)).toEqual({
      subject: 'codase.feed.v1.shop.field_updated.p03',
      body: Buffer.from('{}'),
      id: 'shop:evt_1',
      headers: {
        'ce-specversion': '1.0',
        'ce-id': 'evt_1',
        'ce-type': 'field_updated',
        'ce-source': '/services/shop',
        'ce-time': '2026-03-02T10:00:00.000Z',
      },
    });
  });

  it("carries the event's trace, and says whether the event was reconciled or resent", () => {
    expect(outgoing({ ...stored, traceparent: '00-a-b-01' }).headers).toMatchObject({ traceparent: '00-a-b-01' });
    expect(outgoing({ ...stored, mark: 'reconciled' }).headers).toMatchObject({ 'codase-reconciled': 'true' });
    expect(outgoing({ ...stored, mark: 'resent' }).headers).toMatchObject({ 'codase-resent': 'true' });
  });

  it('goes to the stream PARKED when the event cannot be read', () => {
    expect(outgoing({ ...stored, event: null }).subject).toBe('codase.parked.v1.feed-consumer');
  });
});
