import { Settings } from './settings.ts';

const every = (overdue_after_hours: number) => ({ overdue_after_hours, rules: [] });
const settings = (flows: Record<string, ReturnType<typeof every>>) => new Settings({ shop: { owner_parties: ['company'], flows } }, 60);
const NOW = new Date('2026-03-02T00:00:00Z');
const hours = (of: Settings, flow_id: string) => (of.deadlines('shop', flow_id, NOW).overdue_at!.getTime() - NOW.getTime()) / 3_600_000;

describe('settings of flows', () => {
  it('apply by flow id, then by flow name, then by the entry for all flows', () => {
    const by = settings({ flow_1: every(1), Order: every(2), '*': every(3) });
    for (const id of ['flow_1', 'flow_2']) by.learn({ id, name: 'Order' });

    expect(['flow_1', 'flow_2', 'flow_3'].map((id) => hours(by, id))).toEqual([1, 2, 3]);
  });

  it('need the names of flows only when an entry is keyed by name', () => {
    expect([settings({ flow_1: every(1), '*': every(1) }), settings({ Order: every(1) })].map((by) => by.namesFlows('shop'))).toEqual([
      false,
      true,
    ]);
  });
});
