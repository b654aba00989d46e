import type { Expr } from '../definition/definition.ts';
import { branch, choose, concat, elementOf, rentalFlow, lit, math, nodeOf, ref, today } from '../rental-flow.check.ts';
import { defaultText, fillDefaults, followDefault } from './defaults.ts';
import { liveAnswers, stepValues, type Drafts } from './step-values.ts';

describe('following a default @spec D2-7', () => {
  it.each([null, undefined, '', [], {}])('fills a field that holds %j', (value) => {
    expect(followDefault({ value }, 'Graz')).toEqual({ value: 'Graz', written: 'Graz' });
  });

  it('follows while the value is what it last wrote', () => {
    expect(followDefault({ value: 'Graz', written: 'Graz' }, 'Linz')).toEqual({ value: 'Linz', written: 'Linz' });
  });

  it("leaves a value of one's own alone", () => {
    const own = { value: 'Wien', written: 'Graz' };
    expect(followDefault(own, 'Linz')).toBe(own);
    const typed = { value: 'Wien' };
    expect(followDefault(typed, 'Linz')).toBe(typed);
    const saved = { value: 5 };
    expect(followDefault(saved, '5')).toBe(saved);
  });

  it('leaves a linked field alone, empty or not', () => {
    const linked = { value: null, linked: true };
    expect(followDefault(linked, 'Graz')).toBe(linked);
    const written = { value: 'Graz', written: 'Graz', linked: true };
    expect(followDefault(written, 'Linz')).toBe(written);
  });

  it('clears what it wrote when it becomes null @gap D2-7', () => {
    expect(followDefault({ value: 'Graz', written: 'Graz' }, null)).toEqual({ value: null });
    const empty = { value: '' };
    expect(followDefault(empty, null)).toBe(empty);
    const own = { value: 'Wien', written: 'Graz' };
    expect(followDefault(own, null)).toBe(own);
  });

  it('fills a field emptied by hand again @gap D2-7', () => {
    expect(followDefault({ value: '', written: 'Graz' }, 'Graz')).toEqual({ value: 'Graz', written: 'Graz' });
  });

  it('changes nothing when there is nothing to change', () => {
    const settled = { value: 'Graz', written: 'Graz' };
    expect(followDefault(settled, 'Graz')).toBe(settled);
  });
});

describe('what a default writes @spec D2-7', () => {
  const written = (slug: string, expr: Expr | undefined, answers: Record<string, unknown> = {}) => {
    const flow = rentalFlow((d) => void (elementOf(d, slug, 'field').default = expr));
    return defaultText(flow, elementOf(flow.definition, slug, 'field'), flow.values(answers, '2026-03-01'), '2026-03-01');
  };

  it.each<[string, Expr | undefined, string | null]>([
    ['rent', lit(1.005), '1.01'],
    ['rent', lit(-2.675), '-2.68'],
    ['rent', lit('12.345'), '12.35'],
    ['rent', lit(12), '12'],
    ['income', lit(1.005), '1.005'],
    ['income', lit('abc'), null],
    ['income', lit(null), null],
    ['starts', today, '2026-03-01'],
    ['starts', lit('2026-02-30'), null],
    ['name', concat([lit('Ada'), lit(1)], ' '), 'Ada 1'],
    ['name', concat([]), null],
    ['name', lit(null), null],
    ['name', undefined, null],
  ])('%s = %j writes %j', (slug, expr, text) => {
    expect(written(slug, expr)).toBe(text);
  });

  it('has no today when the run has no date', () => {
    const flow = rentalFlow();
    expect(defaultText(flow, elementOf(flow.definition, 'starts', 'field'), flow.values({}, 'soon'), 'soon')).toBeNull();
  });
});

describe('filling a step @spec D2-7', () => {
  const flow = rentalFlow((d) => {
    elementOf(d, 'income', 'field').default = ref('deposit');
    elementOf(d, 'name', 'field').default = choose([branch({ field: 'income', op: 'gt', value: 2000 }, lit('rich'))], lit(null));
    const twice = { kind: 'field', slug: 'twice', label: '', type: 'number', required: false } as const;
    nodeOf(d, 'tenant_data').elements.push({ ...twice, default: math('mul', ref('income'), lit(2)) });
  });
  const fill = (answers: Record<string, unknown>, drafts: Drafts = {}) =>
    fillDefaults(flow, nodeOf(flow.definition, 'tenant_data'), answers, drafts, '2026-03-01');

  it('lets defaults settle that read each other and constants', () => {
    expect(fill({ rent: '1200' })).toEqual({
      income: { value: '3600', written: '3600' },
      name: { value: 'rich', written: 'rich' },
      twice: { value: '7200', written: '7200' },
    });
  });

  it('follows when an answer changes, and stops where one wrote oneself', () => {
    const first = fill({ rent: '1200' });
    const second = fill({ rent: '1100' }, { ...first, name: { value: 'Ada', written: 'rich' } });
    expect(second).toEqual({
      income: { value: '3300', written: '3300' },
      name: { value: 'Ada', written: 'rich' },
      twice: { value: '6600', written: '6600' },
    });
  });

  it('comes to an end even when defaults chase each other', () => {
    const circle = rentalFlow((d) => {
      elementOf(d, 'rent', 'field').default = math('add', math('max', ref('other'), lit(0)), lit(1));
      const other = { kind: 'field', slug: 'other', label: '', type: 'number', required: false } as const;
      nodeOf(d, 'offer').elements.push({ ...other, default: ref('rent') });
    });
    const drafts = fillDefaults(circle, nodeOf(circle.definition, 'offer'), {}, {}, '2026-03-01');
    expect(drafts.rent).toEqual({ value: '2', written: '2' });
  });

  it('leaves what has no default alone', () => {
    const drafts = { keeps: { value: ['cat'] }, home: { value: null }, firm: { value: 'x', written: 'x' } };
    expect(fill({ rent: '800' }, drafts)).toBe(drafts);
    expect(fillDefaults(flow, nodeOf(flow.definition, 'office_data'), {}, drafts, '2026-03-01')).toBe(drafts);
  });

  it('counts no draft of a field that is hidden', () => {
    const drafts = { ...fill({ rent: '1200' }), income: { value: '5000' } };
    expect(stepValues(flow, nodeOf(flow.definition, 'tenant_data'), { rent: '1200' }, drafts, '2026-03-01')).toMatchObject({
      income: '5000',
    });
    const hidden = stepValues(flow, nodeOf(flow.definition, 'tenant_data'), { rent: '800' }, drafts, '2026-03-01');
    expect([hidden.income, hidden.twice]).toEqual([undefined, '7200']);
    expect(fill({ rent: '800' }, drafts)).toMatchObject({ twice: { value: null }, name: { value: null } });
  });

  it('leaves hidden fields alone', () => {
    expect(fill({ rent: '800' })).toEqual({});
  });

  it('returns the very drafts when nothing moves', () => {
    const settled = fill({ rent: '1200' });
    expect(fill({ rent: '1200' }, settled)).toBe(settled);
    expect(fillDefaults(flow, nodeOf(flow.definition, 'office_data'), {}, settled, '2026-03-01')).toBe(settled);
  });

  it('leaves a value of the step that was saved before, and fills one that was saved empty', () => {
    expect(fill({ rent: '1200', income: '900' })).toEqual({ twice: { value: '1800', written: '1800' } });
    expect(fill({ rent: '1200', income: '' })).toMatchObject({ income: { value: '3600', written: '3600' } });
    expect(fill({ rent: '1200', income: '900' }, { income: { value: '' } })).toMatchObject({ income: { value: '3600', written: '3600' } });
  });

  it('puts drafts over answers', () => {
    expect(liveAnswers({ a: 1, b: 2 }, { b: { value: 3 }, c: { value: null } })).toEqual({ a: 1, b: 3, c: null });
  });
});
