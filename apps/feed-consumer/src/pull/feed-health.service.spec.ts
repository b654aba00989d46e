import { Refusal } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { FeedHealth } from './feed-health.service.ts';

describe('feed health', () => {
  const clock = new ManualClock(new Date('2026-03-02T10:00:00Z'));
  const health = new FeedHealth(clock);

  it('reports a channel that keeps failing, with the reason and the time of the last drain', () => {
    health.drained('shop');
    health.drained('desk');
    clock.passes(10_000);
    health.failed('shop', new Error('a secret'));
    expect(health.note()).toBeNull();

    clock.passes(30_000);
    health.failed('shop', new Refusal('auth.client_endpoint_forbidden'));

    expect(health.note()!.note).toBe(
      'shop is not drained since 2026-03-02T10:00:10.000Z (auth.client_endpoint_forbidden), last time 2026-03-02T10:00:00.000Z',
    );
  });

  it('reports nothing once the channel is drained again or belongs to another replica', () => {
    health.drained('shop');
    expect(health.note()).toBeNull();

    health.failed('desk', new Error('gone'));
    clock.passes(60_000);
    expect(health.note()!.note).toContain('desk is not drained');

    health.left('desk');
    expect(health.note()).toBeNull();
  });
});
