import { CONNECT_REQUESTS } from '@codase/contracts';
import { checkMayAsk, isOpen } from './may-ask.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const ago = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000);
const { days, open_per_person } = CONNECT_REQUESTS;
const rejected = (when: Date) => ({ asked_at: ago(days + 5), rejected_at: when });

describe('connect request @gap D1-8', () => {
  it('is allowed to a person who never got one, or rejected one long ago', () => {
    expect(() => checkMayAsk(undefined, open_per_person - 1, NOW)).not.toThrow();
    expect(() => checkMayAsk(rejected(ago(days)), 0, NOW)).not.toThrow();
  });

  it('is refused to a person who rejected one recently, with Retry-After', () => {
    expect(() => checkMayAsk(rejected(ago(days - 1)), 0, NOW)).toThrow(
      expect.objectContaining({ key: 'company_connections.request_rejected', retryAfter: 24 * 60 * 60 }),
    );
  });

  it('is refused to a person with too many open requests, without Retry-After', () => {
    expect(() => checkMayAsk(undefined, open_per_person, NOW)).toThrow(
      expect.objectContaining({ key: 'company_connections.too_many_requests', retryAfter: undefined }),
    );
  });

  it('is open until it is answered or expires', () => {
    expect(isOpen({ asked_at: ago(days - 1), rejected_at: null }, NOW)).toBe(true);
    expect(isOpen({ asked_at: ago(days), rejected_at: null }, NOW)).toBe(false);
    expect(isOpen({ asked_at: ago(1), rejected_at: ago(0) }, NOW)).toBe(false);
  });
});
