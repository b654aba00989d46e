import type { Expr } from '../definition/definition.ts';
import { elementOf, rentalFlow, lit, math, nodeOf, ref } from '../rental-flow.check.ts';
import { boundFaults } from './bounds.ts';

const faults = (slug: string, value: unknown, bounds: { min?: Expr; max?: Expr }, answers: Record<string, unknown> = {}) => {
  const flow = rentalFlow((d) => void Object.assign(elementOf(d, slug, 'field'), { min: undefined, max: undefined, ...bounds }));
  const node = flow.definition.nodes.find(({ elements }) => elements.some((element) => 'slug' in element && element.slug === slug))!;
  return boundFaults(flow, node, flow.values({ rent: '2000', [slug]: value, ...answers }, '2026-03-01'), '2026-03-01');
};

describe('minimum and maximum of a field @spec D2-7', () => {
  it('reject values outside', () => {
    expect(faults('rent', '99.99', { min: lit(100), max: lit(200) })).toEqual([{ slug: 'rent', bound: 'min', limit: 100 }]);
    expect(faults('rent', '200.01', { min: lit(100), max: lit(200) })).toEqual([{ slug: 'rent', bound: 'max', limit: 200 }]);
    expect(faults('rent', '150', { min: lit(200), max: lit(100) })).toHaveLength(2);
  });

  it('accept values on the bound and inside', () => {
    for (const rent of ['100', '200.00', ' 150 ']) expect(faults('rent', rent, { min: lit(100), max: lit(200) })).toEqual([]);
  });

  it('compare numbers as numbers and dates as dates', () => {
    expect(faults('rent', '9', { max: lit(10) })).toEqual([]);
    const late = { slug: 'starts', bound: 'max', limit: '2026-03-01' };
    expect(faults('starts', '2026-03-02', { max: lit('2026-03-01', 'date') })).toEqual([late]);
    expect(faults('starts', '2026-02-28', { min: lit('2026-03-01', 'date') })).toHaveLength(1);
    expect(faults('starts', '2026-03-01', { min: lit('2026-03-01', 'date') })).toEqual([]);
  });

  it('are not rounded, even on a decimal field @gap D2-7', () => {
    expect(faults('rent', '1.00', { min: lit(1.001) })).toHaveLength(1);
  });

  it('are ignored when they evaluate to null or to a value that cannot be compared', () => {
    expect(faults('rent', '5', { min: ref('nothing'), max: math('div', lit(1), lit(0)) })).toEqual([]);
    expect(faults('rent', '-5', { min: ref('nothing'), max: ref('nothing') })).toEqual([]);
    expect(faults('starts', '2026-03-02', { max: lit('soon') })).toEqual([]);
  });

  it('ignore a value that is empty or cannot be compared', () => {
    for (const rent of ['', null, 'abc']) expect(faults('rent', rent, { min: lit(1), max: lit(-1) })).toEqual([]);
    expect(faults('starts', '2026-02-30', { min: lit('2027-01-01') })).toEqual([]);
    expect(faults('name', 'b', { min: lit('c') })).toEqual([]);
    expect(faults('name', '2020-01-01', { min: lit('2021-01-01') })).toEqual([]);
  });

  it('ignore a hidden field', () => {
    expect(faults('income', '5', { min: lit(10) })).toHaveLength(1);
    expect(faults('income', '5', { min: lit(10) }, { rent: '800' })).toEqual([]);
  });

  it('ignore a plugin field', () => {
    const flow = rentalFlow();
    expect(boundFaults(flow, nodeOf(flow.definition, 'office_data'), flow.values({}, '2026-03-01'), '2026-03-01')).toEqual([]);
  });
});
