import { CONNECT_REQUESTS } from '@codase/contracts';
import { checkMayAsk, isOpen } from './may-ask.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const ago = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000);
const { days, open_per_person } = CONNECT_REQUESTS;
const rejected = (when: Date) => ({ asked_at: ago(days + 5), rejected_at: when });

describe('asking a person to connect @gap D1-8', () => {
  it('may be done to who was never asked, or said no long ago', () => {
    expect(() => checkMayAsk(undefined, open_per_person - 1, NOW)).not.toThrow();
    expect(() => checkMayAsk(rejected(ago(days)), 0, NOW)).not.toThrow();
  });

  it('leaves who said no alone, and says until when', () => {
    expect(() => checkMayAsk(rejected(ago(days - 1)), 0, NOW)).toThrow(
      expect.objectContaining({ key: 'company_connections.request_rejected', retryAfter: 24 * 60 * 60 }),
    );
  });

  it('leaves who is asked by many alone, where repeating does not help', () => {
    expect(() => checkMayAsk(undefined, open_per_person, NOW)).toThrow(
      expect.objectContaining({ key: 'company_connections.too_many_requests', retryAfter: undefined }),
    );
  });

  it('is open until it is answered, or nobody answered for long', () => {
    expect(isOpen({ asked_at: ago(days - 1), rejected_at: null }, NOW)).toBe(true);
    expect(isOpen({ asked_at: ago(days), rejected_at: null }, NOW)).toBe(false);
    expect(isOpen({ asked_at: ago(1), rejected_at: ago(0) }, NOW)).toBe(false);
  });
});
