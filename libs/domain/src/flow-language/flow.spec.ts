import { elementOf, rentalFlow, lit, today } from './rental-flow.check.ts';
import { writePluginAnswer } from './plugins/plugin-answer.ts';

describe('a compiled flow', () => {
  const flow = rentalFlow();
  const none = flow.values({}, '2026-03-01');

  it('finds a node by its own key only', () => {
    expect(flow.node('offer')?.title).toBe('The offer');
    expect(flow.node('toString')).toBeUndefined();
  });

  it('combines answers, dotted plugin keys and constants into its values @spec D2-2.5.4', () => {
    const { plugin } = elementOf(flow.definition, 'firm', 'plugin');
    const firm = writePluginAnswer(plugin, { picks: {}, values: {}, outputs: { seat: 'Graz', listed: true } });
    const values = flow.values({ rent: '500', firm }, '2026-03-01');
    expect(values).toMatchObject({ rent: '500', deposit: 1500, age: null, 'firm.seat': 'Graz' });
    expect(flow.holds({ field: 'firm.listed', op: 'eq', value: true }, values)).toBe(true);
  });

  it('treats a missing condition as true and evaluates a condition anew for each set of values', () => {
    const condition = { field: 'rent', op: 'gt', value: '99' } as const;
    expect(flow.holds(undefined, none)).toBe(true);
    expect(['100', '9', '100'].map((rent) => flow.holds(condition, flow.values({ rent }, '2026-03-01')))).toEqual([true, false, true]);
  });

  it("evaluates an expression with the run's date", () => {
    expect(flow.evaluate(today, none, '2026-03-01')).toBe('2026-03-01');
    expect(flow.evaluate(today, none, '2026-02-30')).toBeNull();
    const five = lit(5);
    expect([flow.evaluate(five, none, ''), flow.evaluate(five, none, '')]).toEqual([5, 5]);
  });
});
