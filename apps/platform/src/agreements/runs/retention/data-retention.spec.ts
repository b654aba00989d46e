import { dataEndsAt } from './data-retention.ts';

const at = (day: string) => new Date(`2026-${day}T12:00:00Z`);

describe('retention of run data after a downgrade @spec D2-8', () => {
  it.each([
    ['30 days without contract flows', at('03-01'), null, at('03-31')],
    ['7 days at the free level', at('03-01'), at('03-01'), at('03-08')],
    ['7 days from the free level on, where it came later', at('03-01'), at('03-10'), at('03-17')],
    ['30 days, where the free level came at the end of them', at('03-01'), at('03-30'), at('03-31')],
  ])('lasts %s', (_, without_flows_since, free_since, ends) => {
    expect(dataEndsAt({ without_flows_since, free_since })).toEqual(ends);
  });
});
