import fc from 'fast-check';
import { readAnswer } from '../answers/read-answers.ts';
import type { Condition, Constant, Element, Expr, FieldElement, FlowNode } from '../definition/definition.ts';
import { ownValue, type Answers } from '../expressions/values.ts';
import { compileFlow, type Flow } from '../flow.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';
import {
  branch,
  choose,
  concat,
  constant,
  elementOf,
  FIELD_TYPES,
  lit,
  math,
  nodeOf,
  ref,
  rental,
  rentalFlow,
  today,
} from '../rental-flow.check.ts';
import { defaultText, fillDefaults, followDefault } from './defaults.ts';
import { questionsOf } from './shown-elements.ts';
import { hidingDrafts, liveAnswers, stepValues, type Drafts } from './step-values.ts';

describe('a field with a default @spec D2-7', () => {
  it.each([null, undefined, '', [], {}])('takes the default when its value is %j', (value) => {
    expect(followDefault({ value }, 'Graz')).toEqual({ value: 'Graz', written: 'Graz' });
  });

  it('follows the default as long as it still has the value that the default wrote', () => {
    expect(followDefault({ value: 'Graz', written: 'Graz' }, 'Linz')).toEqual({ value: 'Linz', written: 'Linz' });
  });

  it('keeps a value that the user entered', () => {
    const own = { value: 'Wien', written: 'Graz' };
    expect(followDefault(own, 'Linz')).toBe(own);
    const typed = { value: 'Wien' };
    expect(followDefault(typed, 'Linz')).toBe(typed);
    const saved = { value: 5 };
    expect(followDefault(saved, '5')).toBe(saved);
  });

  it('keeps its value when it is linked, even an empty one', () => {
    const linked = { value: null, linked: true };
    expect(followDefault(linked, 'Graz')).toBe(linked);
    const written = { value: 'Graz', written: 'Graz', linked: true };
    expect(followDefault(written, 'Linz')).toBe(written);
  });

  it('is cleared when the default becomes null, if the default wrote its value @gap D2-7', () => {
    expect(followDefault({ value: 'Graz', written: 'Graz' }, null)).toEqual({ value: null });
    const empty = { value: '' };
    expect(followDefault(empty, null)).toBe(empty);
    const own = { value: 'Wien', written: 'Graz' };
    expect(followDefault(own, null)).toBe(own);
  });

  it('takes the default again when the user empties it @gap D2-7', () => {
    expect(followDefault({ value: '', written: 'Graz' }, 'Graz')).toEqual({ value: 'Graz', written: 'Graz' });
  });

  it('is unchanged when it already has the value of the default', () => {
    const settled = { value: 'Graz', written: 'Graz' };
    expect(followDefault(settled, 'Graz')).toBe(settled);
  });
});

describe('the text that a default writes @spec D2-7', () => {
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
  ])('for %s = %j is %j', (slug, expr, text) => {
    expect(written(slug, expr)).toBe(text);
  });

  it('is null for today when the run has no valid date', () => {
    const flow = rentalFlow();
    expect(defaultText(flow, elementOf(flow.definition, 'starts', 'field'), flow.values({}, 'soon'), 'soon')).toBeNull();
  });
});

describe('filling a step with defaults @spec D2-7', () => {
  const flow = rentalFlow((d) => {
    elementOf(d, 'income', 'field').default = ref('deposit');
    elementOf(d, 'name', 'field').default = choose([branch({ field: 'income', op: 'gt', value: 2000 }, lit('rich'))], lit(null));
    const twice = { kind: 'field', slug: 'twice', label: '', type: 'number', required: false } as const;
    nodeOf(d, 'tenant_data').elements.push({ ...twice, default: math('mul', ref('income'), lit(2)) });
  });
  const fill = (answers: Record<string, unknown>, drafts: Drafts = {}) =>
    fillDefaults(flow, nodeOf(flow.definition, 'tenant_data'), answers, drafts, '2026-03-01');

  it('computes defaults that depend on each other and on constants', () => {
    expect(fill({ rent: '1200' })).toEqual({
      income: { value: '3600', written: '3600' },
      name: { value: 'rich', written: 'rich' },
      twice: { value: '7200', written: '7200' },
    });
  });

  it('follows changed answers but keeps what the user entered', () => {
    const first = fill({ rent: '1200' });
    const second = fill({ rent: '1100' }, { ...first, name: { value: 'Ada', written: 'rich' } });
    expect(second).toEqual({
      income: { value: '3300', written: '3300' },
      name: { value: 'Ada', written: 'rich' },
      twice: { value: '6600', written: '6600' },
    });
  });

  it('terminates when two defaults change each other', () => {
    const circle = rentalFlow((d) => {
      elementOf(d, 'rent', 'field').default = math('add', math('max', ref('other'), lit(0)), lit(1));
      const other = { kind: 'field', slug: 'other', label: '', type: 'number', required: false } as const;
      nodeOf(d, 'offer').elements.push({ ...other, default: ref('rent') });
    });
    const drafts = fillDefaults(circle, nodeOf(circle.definition, 'offer'), {}, {}, '2026-03-01');
    expect(drafts.rent).toEqual({ value: '2', written: '2' });
  });

  it('leaves fields without a default unchanged', () => {
    const drafts = { keeps: { value: ['cat'] }, home: { value: null }, firm: { value: 'x', written: 'x' } };
    expect(fill({ rent: '800' }, drafts)).toBe(drafts);
    expect(fillDefaults(flow, nodeOf(flow.definition, 'office_data'), {}, drafts, '2026-03-01')).toBe(drafts);
  });

  it('ignores the draft of a hidden field', () => {
    const drafts = { ...fill({ rent: '1200' }), income: { value: '5000' } };
    expect(stepValues(flow, nodeOf(flow.definition, 'tenant_data'), { rent: '1200' }, drafts, '2026-03-01')).toMatchObject({
      income: '5000',
    });
    const hidden = stepValues(flow, nodeOf(flow.definition, 'tenant_data'), { rent: '800' }, drafts, '2026-03-01');
    expect([hidden.income, hidden.twice]).toEqual([undefined, '7200']);
    expect(fill({ rent: '800' }, drafts)).toMatchObject({ twice: { value: null }, name: { value: null } });
  });

  it('does not fill hidden fields', () => {
    expect(fill({ rent: '800' })).toEqual({});
  });

  it('returns the same drafts object when nothing changes', () => {
    const settled = fill({ rent: '1200' });
    expect(fill({ rent: '1200' }, settled)).toBe(settled);
    expect(fillDefaults(flow, nodeOf(flow.definition, 'office_data'), {}, settled, '2026-03-01')).toBe(settled);
  });

  it('keeps a saved value and fills a value that was saved empty', () => {
    expect(fill({ rent: '1200', income: '900' })).toEqual({ twice: { value: '1800', written: '1800' } });
    expect(fill({ rent: '1200', income: '' })).toMatchObject({ income: { value: '3600', written: '3600' } });
    expect(fill({ rent: '1200', income: '900' }, { income: { value: '' } })).toMatchObject({ income: { value: '3600', written: '3600' } });
  });

  it('gives drafts precedence over saved answers', () => {
    expect(liveAnswers({ a: 1, b: 2 }, { b: { value: 3 }, c: { value: null } })).toEqual({ a: 1, b: 3, c: null });
  });
});

/** One step with these elements, compiled. */
function stepOf(elements: Element[], constants: Constant[] = []): { flow: Flow; node: FlowNode } {
  const node: FlowNode = { key: 'step', party: 'tenant', title: '', elements };
  return { node, flow: compileFlow({ ...rental(), entry: 'step', nodes: [node], edges: [], constants }, FIELD_TYPES) };
}

const field = (slug: string, more: Partial<FieldElement> = {}): FieldElement => {
  return { kind: 'field', slug, label: '', type: 'text', required: false, ...more };
};

describe('the computation of a filled step', () => {
  const LENGTH = 40;

  it('re-evaluates only what depends on a changed value', () => {
    const following = Array.from({ length: LENGTH }, (_, i) => field(`a${i}`, { default: i === 0 ? lit('x') : ref(`a${i - 1}`) }));
    const hiding = Array.from({ length: LENGTH }, (_, i) => field(`b${i}`, { show_if: { field: `b${i - 1}`, op: 'is_not_empty' } }));
    const { flow, node } = stepOf([...following, ...hiding]);
    const drafts = Object.fromEntries(hiding.map(({ slug }) => [slug, { value: 'typed' }]));
    const calls = { values: 0, holds: 0 };
    const counted: Flow = {
      ...flow,
      values: (...given) => (calls.values++, flow.values(...given)),
      holds: (...given) => (calls.holds++, flow.holds(...given)),
    };

    const filled = fillDefaults(counted, node, {}, drafts, '2026-03-01');

    expect(filled[`a${LENGTH - 1}`]).toEqual({ value: 'x', written: 'x' });
    expect(calls.values).toBeLessThanOrEqual(LENGTH + 1);
    expect(calls.holds).toBeLessThan(10 * LENGTH * LENGTH);
  });

  /** Returns what a step holds by computing everything again whenever something has changed. */
  function liveAnew(flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts) {
    for (let live = drafts; ;) {
      const values = flow.values(liveAnswers(answers, live), '2026-03-01');
      const shown = new Set(questionsOf(flow, node, values).map(({ slug }) => slug));
      const kept = Object.entries(live).filter(([slug]) => shown.has(slug));
      if (kept.length === Object.keys(live).length) return { drafts: live, values };
      live = Object.fromEntries(kept);
    }
  }
  function fillAnew(flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts): Drafts {
    let current = drafts;
    for (const _round of node.elements) {
      const { values } = liveAnew(flow, node, answers, current);
      const moved = questionsOf(flow, node, values).flatMap((element) => {
        if (element.kind !== 'field') return [];
        const before = (Object.hasOwn(current, element.slug) && current[element.slug]) || {
          value: readAnswer(flow.fieldTypes.kindOf(element.type), ownValue(answers, element.slug)),
        };
        const next = followDefault(before, defaultText(flow, element, values, '2026-03-01'));
        return next === before ? [] : [[element.slug, next] as const];
      });
      if (moved.length === 0) return current;
      current = { ...current, ...Object.fromEntries(moved) };
    }
    return current;
  }

  const { plugin } = elementOf(rental(), 'firm', 'plugin');
  const SLUGS = ['a', 'b', 'c', 'd', 'e', 'firm'];
  const key = fc.constantFrom(...SLUGS, 'k', 'l', 'firm.seat', 'firm.company.id', 'nothing');
  const leaf: fc.Arbitrary<Condition> = fc.oneof(
    key.map((of): Condition => ({ field: of, op: 'is_not_empty' })),
    key.map((of): Condition => ({ not: { field: of, op: 'eq', value: 'x' } })),
    fc
      .tuple(key, key)
      .map(([one, other]): Condition => ({ and: [{ field: one, op: 'is_empty' }, { not: { field: other, op: 'is_empty' } }] })),
  );
  const expr: fc.Arbitrary<Expr> = fc.oneof(
    key.map(ref),
    fc.constantFrom(lit('x'), lit('y'), lit(null)),
    fc.tuple(key, key).map(([one, other]) => concat([ref(one), ref(other)])),
    fc.tuple(leaf, key, key).map(([when, one, other]) => choose([branch(when, ref(one))], ref(other))),
  );
  const answer = fc.constantFrom(
    '',
    'x',
    'y',
    '["x"]',
    writePluginAnswer(plugin, { picks: { company: { id: '7', label: 'x' } }, values: {}, outputs: { seat: 'y' } }),
  );
  const show_if = fc.option(leaf, { nil: undefined });
  const optional = <T extends object>(given: T) => JSON.parse(JSON.stringify(given)) as T;
  const elements = fc.tuple(
    ...SLUGS.slice(0, 5).map((slug) =>
      fc
        .record({ show_if, default: fc.option(expr, { nil: undefined }), type: fc.constantFrom('text', 'text', 'multiselect') })
        .map((more) => optional(field(slug, more as Partial<FieldElement>))),
    ),
    show_if.map((condition) => optional({ ...elementOf(rental(), 'firm', 'plugin'), show_if: condition } as Element)),
  );
  const constants = fc.tuple(
    expr.map((of) => constant('k', 'text', of)),
    expr.map((of) => constant('l', 'text', of)),
  );
  const answers = fc.dictionary(fc.constantFrom(...SLUGS, 'k', 'firm.seat', 'other'), answer);
  const draft = fc.record({ value: answer, linked: fc.boolean(), written: answer }, { requiredKeys: ['value'] });
  const drafts = fc.dictionary(fc.constantFrom(...SLUGS, 'l', 'firm.seat', 'other'), draft);

  it('equals a full recomputation, also when questions hide each other', () => {
    fc.assert(
      fc.property(elements, constants, answers, drafts, (given, constantsOfStep, before, typed) => {
        const { flow, node } = stepOf(given, constantsOfStep);
        const filled = fillDefaults(flow, node, before, typed, '2026-03-01');
        expect(filled).toEqual(fillAnew(flow, node, before, typed));

        const steps = hidingDrafts(flow, node, before, filled, '2026-03-01');
        let live = steps.next();
        while (!live.done) live = steps.next();
        expect(live.value).toStrictEqual(liveAnew(flow, node, before, filled));
      }),
      { numRuns: 2000 },
    );
  });
});
