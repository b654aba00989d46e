import { problemsOf, type Status } from './status.ts';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const ready = { name: 'gateway', answer: { ready: true, checks: { nats: 'ok' }, started_at: '2026-01-31T11:00:00.000Z' } };
const WELL: Status = {
  services: [ready],
  feed: [{ service: 'shop', at: '2026-01-31T11:00:00.000Z', delay_ms: 900 }],
  groups: [{ group: 'shop-backend_customers', pending: 3, waiting_ms: 200 }],
  parked: [{ group: 'shop-backend_customers', events: 2, newest_at: '2026-01-29T12:00:00.000Z' }],
};
const found = (change: Partial<Status>) => problemsOf({ ...WELL, ...change }, NOW);

describe('problems reported by status', () => {
  it('are none when all services answer, no events are late, and no event was parked recently', () => {
    expect(found({})).toEqual([]);
  });

  it('include a service that does not answer or is not ready, with the reason', () => {
    expect(found({ services: [{ name: 'twofa', answer: null }] })).toEqual([expect.stringMatching(/^twofa does not answer: /)]);
    const waiting = { ...ready.answer, ready: false, checks: { nats: 'ok', postgres: 'away' } };
    expect(found({ services: [{ ...ready, answer: waiting }] })).toEqual(['gateway is not ready: postgres away.']);
  });

  it('include a feed that cannot be drained, even when the service is ready', () => {
    const stuck = { ...ready.answer, checks: { nats: 'ok', feed: 'ok, but shop is not drained since noon' } };
    expect(found({ services: [{ name: 'feed-consumer', answer: stuck }] })).toEqual([
      'feed-consumer gets no events: shop is not drained since noon.',
    ]);
  });

  it('include a group whose events wait too long, but not a group with many events', () => {
    expect(found({ groups: [{ group: 'g', pending: 100_000, waiting_ms: 1000 }] })).toEqual([]);
    const slow = found({ groups: [{ group: 'g', pending: 1, waiting_ms: 180_000 }] });
    expect(slow).toEqual([expect.stringContaining('1 events wait, the oldest for 3 min')]);
  });

  it('include events that were parked recently', () => {
    const fresh = found({ parked: [{ group: 'g', events: 2, newest_at: '2026-01-31T11:59:00.000Z' }] });
    expect(fresh).toEqual([expect.stringMatching(/^g has parked 2 events, the newest at 2026-01-31T11:59/)]);
  });
});
