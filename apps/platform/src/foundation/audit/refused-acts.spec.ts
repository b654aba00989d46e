import type { AuditRow } from './entry.ts';
import { RefusedActs } from './refused-acts.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const row = (address: string, seconds = 0): AuditRow => ({
  at: new Date(noon + seconds * 1000),
  act: 'token.refused',
  outcome: 'auth.token_invalid',
  initiator: null,
  client_id: null,
  address,
  account_id: null,
  object: null,
  details: {},
});
const at = (seconds: number) => new Date(noon + seconds * 1000);
const LIMITS = { windowMs: 60_000, each: 2, all: 5 };

describe('audit of refused acts', () => {
  it('writes each act as its own row while there are few', () => {
    const refused = new RefusedActs(LIMITS);
    refused.add(row('192.0.2.1'));
    refused.add(row('192.0.2.2'));

    expect(refused.take(at(1)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(refused.take(at(2))).toEqual([]);
  });

  it('limits the rows of one address, and writes the rest as one row with a count at the end of the window', () => {
    const refused = new RefusedActs(LIMITS);
    for (let n = 0; n < 1000; n++) refused.add(row('192.0.2.1'));
    refused.add(row('192.0.2.2'));

    expect(refused.take(at(1)).map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2']);
    expect(refused.take(at(60))).toMatchObject([{ act: 'token.refused', address: null, details: { count: 998 } }]);
    expect(refused.take(at(61))).toEqual([]);
  });

  it('limits the rows of all addresses together in each window', () => {
    const refused = new RefusedActs(LIMITS);
    for (let n = 0; n < 100_000; n++) refused.add(row(`192.0.${n >> 8}.${n & 255}`));
    expect(refused.take(at(1))).toHaveLength(5);

    refused.add(row('192.0.2.9', 61));
    expect(refused.take(at(61)).map(({ address, details }) => [address, details.count])).toEqual([['192.0.2.9', undefined]]);
    expect(refused.take(at(130), true)).toMatchObject([{ details: { count: 99_995 } }]);
  });

  it('counts acts that could not be written, and writes the count at the end', () => {
    const refused = new RefusedActs(LIMITS);
    refused.add(row('192.0.2.1'));
    refused.add(row('192.0.2.1'));
    refused.putBack(refused.take(at(1)));
    refused.putBack(refused.take(at(2), true));

    expect(refused.take(at(3), true)).toMatchObject([{ address: null, details: { count: 2 } }]);
  });
});
