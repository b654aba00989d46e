import { linesOf } from './table.ts';
import { signalOfAnswer, WEBHOOK_HEALTH } from './webhook-health.ts';

describe('the health of a webhook @spec D1-3.2', () => {
  it('allows exactly the transitions of its state table', () => {
    expect(linesOf(WEBHOOK_HEALTH)).toEqual([
      'running, event: running, deliver event',
      'running, delivered: running',
      'running, failed: bad, park pending, start grace, log change',
      'bad, event: bad, park event',
      'bad, grace over: unknown, probe oldest, log change',
      'unknown, event: unknown, park event, probe oldest',
      'unknown, delivered: running, replay backlog, log change',
      'unknown, failed: bad, start grace, log change',
    ]);
  });

  it('counts status 200 as success @spec D1-6.3', () => {
    expect(signalOfAnswer(200)).toBe('delivered');
  });

  it.each([201, 202, 204, 301, 400, 429, 500, 'timeout', 'no connection'] as const)('counts %s as a failure @spec D1-6.3', (answer) => {
    expect(signalOfAnswer(answer)).toBe('failed');
  });
});
