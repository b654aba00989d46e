import { PendingMessages } from './pending-messages.ts';

const message = (seq: number, agoMs: number) => ({ seq, time: new Date(Date.now() - agoMs) });

describe('pending messages', () => {
  it('are as old as the oldest message that is not done', () => {
    const pending = new PendingMessages();
    expect(pending.oldestMs).toBe(0);

    pending.add(message(1, 60_000), Infinity);
    pending.add(message(2, 10_000), Infinity);
    expect(pending.oldestMs).toBeGreaterThanOrEqual(60_000);

    pending.done({ seq: 1 });
    expect(pending.oldestMs).toBeLessThan(60_000);
    expect(pending.oldestMs).toBeGreaterThanOrEqual(10_000);
  });

  it('no longer count after their deadline has elapsed', () => {
    const pending = new PendingMessages();
    pending.add(message(1, 60_000), -10_000);

    expect(pending.oldestMs).toBe(0);
  });
});
