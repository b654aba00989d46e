import fc from 'fast-check';
import type { Condition, ConditionOp, DateUnit, Expr, MathOp, Scalar } from '../definition/definition.ts';
import { LIMITS } from '../definition/limits.ts';
import { branch, choose, concat, datediff, lit, math, nested, ref, today } from '../rental-flow.check.ts';
import { compilation } from './compilation.ts';
import { compileExpr } from './expression.ts';
import { fieldsOf, readsOf } from './reads.ts';
import type { Table } from './values.ts';

const compute = (expr: Expr, values: Table = {}, date: string | null = '2026-03-01') =>
  compileExpr(expr, compilation(new Map()))(values, date);
const has = (field: string): Condition => ({ field, op: 'is_not_empty' });

describe('an expression of the flow language @spec D2-2.5', () => {
  it.each<[string, Expr, unknown]>([
    ['a literal', lit('x'), 'x'],
    ['a literal number', lit(5), 5],
    ['a literal boolean', lit(false), false],
    ['a literal null', lit(null), null],
    ['an answer', ref('name'), 'Ada'],
    ['an answer as it is', ref('rent'), '800'],
    ['a list as it is', ref('keeps'), ['cat', 'dog']],
    ['a dotted key', ref('firm.seat'), 'Graz'],
    ['no answer', ref('nothing'), null],
    ['nothing inherited', ref('toString'), null],
    ['today', today, '2026-03-01'],
    ['text joined', concat([ref('name'), lit('of'), ref('firm.seat')], ' '), 'Ada of Graz'],
    ['text without a separator', concat([lit('a'), lit(1), lit(true)]), 'a1true'],
    ['nulls as nothing', concat([lit(null), lit('x'), ref('nothing')], '-'), '-x-'],
    ['a list joined by commas', concat([ref('keeps')]), 'cat,dog'],
    ['no parts', concat([]), ''],
    ['only nulls', concat([ref('nothing')]), ''],
    ['days', datediff('days', lit('2026-02-01'), today), 28],
    ['no date', datediff('days', lit('soon'), today), null],
    ['no end', datediff('days', today, ref('nothing')), null],
    ['less than a week back', datediff('weeks', today, lit('2026-02-27')), 0],
    ['math over answers', math('mul', ref('rent'), lit(3)), 2400],
    ['null through math', math('add', lit(1), math('neg', ref('nothing'))), null],
  ])('evaluates %s', (_what, expr, result) => {
    expect(compute(expr, { name: 'Ada', rent: '800', keeps: ['cat', 'dog'], 'firm.seat': 'Graz' })).toEqual(result);
  });

  it('evaluates an if to its first case that holds, otherwise to its else', () => {
    const expr = choose([branch(has('a'), lit('first')), branch(has('b'), lit('second'))], lit('neither'));
    expect(compute(expr, { a: 1, b: 1 })).toBe('first');
    expect(compute(expr, { b: 1 })).toBe('second');
    expect(compute(expr)).toBe('neither');
    expect(compute(choose([branch(has('a'), lit(null))], lit(1)), { a: 1 })).toBeNull();
  });

  it('evaluates today to null without a reference date', () => {
    expect(compute(today, {}, null)).toBeNull();
    expect(compute(datediff('days', today, today), {}, null)).toBeNull();
  });

  it('lists all keys that it and its conditions read', () => {
    const cases = [branch({ and: [has('a'), { not: has('b') }] }, concat([ref('c')]))];
    const expr = choose(cases, datediff('days', ref('d'), math('neg', ref('e'))));
    expect([...readsOf(expr)].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([...fieldsOf({ or: [has('a'), has('f.g')] })]).toEqual(['a', 'f.g']);
    expect([...readsOf({ type: 'ref', key: 5 } as never)]).toEqual([]);
  });
});

describe('an expression over the limits @spec D2-8', () => {
  it('evaluates to null beyond 64 levels', () => {
    expect(compute(nested(64))).toBe(-1);
    expect(compute(nested(65))).toBeNull();
    expect(compute(nested(100_000))).toBeNull();
  });

  it('does not count the levels of its conditions', () => {
    const deep = (levels: number): Condition => (levels <= 1 ? has('a') : { not: { not: deep(levels - 2) } });
    const inner = choose([branch(deep(63), lit(1))], lit(2));
    const outer = Array.from({ length: 62 }).reduce<Expr>((expr) => math('neg', expr), inner);
    expect(compute(outer, { a: 1 })).toBe(1);
    expect(compute(math('neg', outer), { a: 1 })).toBeNull();
  });

  it('evaluates to null when its text becomes too long', () => {
    const half = 'x'.repeat(LIMITS.computed_text / 2);
    expect(compute(concat([lit(half), lit(half)]))).toHaveLength(LIMITS.computed_text);
    expect(compute(concat([lit(half), lit(half), lit('x')]))).toBeNull();
    expect(compute(concat([lit(half), lit(half)], 'x'))).toBeNull();
  });

  it('evaluates to null when it has too many parts', () => {
    const sum = (parts: number) => compute(math('add', ...Array.from({ length: parts }, () => lit(1))));
    expect(sum(LIMITS.values - 1)).toBe(LIMITS.values - 1);
    expect(sum(LIMITS.values)).toBeNull();
    let shared = lit(1);
    for (let i = 0; i < 60; i++) shared = math('add', shared, shared);
    expect(compute(shared)).toBeNull();
  });
});

describe('a malformed expression', () => {
  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['an unknown type', { type: 'eval', code: '1' }],
    ['a type every object has', { type: 'constructor' }],
    ['a type that is no word', { type: ['lit'], value: 1 }],
    ['a type that cannot be a word', JSON.parse('{"type": {"toString": 1}}')],
    ['an object as literal', { type: 'lit', value: { a: 1 } }],
    ['a list as literal', { type: 'lit', value: [1] }],
    ['a literal without a value', { type: 'lit' }],
    ['a reference to no key', { type: 'ref', key: 5 }],
    ['an unknown operator', { type: 'math', op: 'pow', args: [lit(1), lit(2)] }],
    ['an operator every object has', { type: 'math', op: 'toString', args: [lit(1)] }],
    ['no arguments', { type: 'math', op: 'add' }],
    ['an unknown unit', { type: 'datediff', unit: 'hours', from: today, to: today }],
    ['an unknown unit every object has', { type: 'datediff', unit: 'valueOf', from: today, to: today }],
    ['an if without else', { type: 'if', cases: [] }],
    ['what was cut off', { type: 'too_deep' }],
  ])('evaluates to null: %s', (_what, expr) => {
    expect(compute(expr as Expr)).toBeNull();
  });

  it('skips malformed cases of an if, and malformed parts and separators of a concat', () => {
    // oxlint-disable-next-line unicorn/no-thenable -- the specification's word
    expect(compute({ type: 'if', cases: [null, 5, { then: lit(1) }], else: lit(2) } as unknown as Expr)).toBe(2);
    expect(compute({ type: 'if', cases: 'x', else: lit(2) } as unknown as Expr)).toBe(2);
    expect(compute({ type: 'concat', parts: 5, sep: 5 } as unknown as Expr)).toBe('');
    expect(compute({ type: 'concat', parts: [lit('a'), lit('b')], sep: 5 } as unknown as Expr)).toBe('ab');
  });
});

describe('any expression over any answers', () => {
  const key = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString');
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const scalar: fc.Arbitrary<Scalar> = fc.oneof(fc.string(), number, fc.boolean(), fc.constant(null), fc.constant('2024-02-29'));
  const op = fc.constantFrom<MathOp>('add', 'div', 'mod', 'max', 'round');
  const comparison = fc.constantFrom<ConditionOp>('eq', 'lt', 'in', 'contains', 'is_empty');
  const leafy: fc.Arbitrary<Condition> = fc.record({ field: key, op: comparison, value: scalar });
  const { expr } = fc.letrec<{ expr: Expr }>((tie) => ({
    expr: fc.oneof(
      { maxDepth: 4 },
      scalar.map((value) => lit(value)),
      key.map(ref),
      fc.array(tie('expr'), { maxLength: 3 }).map((parts) => concat(parts, ',')),
      fc.tuple(fc.constantFrom<DateUnit>('days', 'years'), tie('expr'), tie('expr')).map(([unit, from, to]) => datediff(unit, from, to)),
      fc.tuple(op, fc.array(tie('expr'), { maxLength: 3 })).map(([op, args]) => math(op, ...args)),
      fc.tuple(leafy, tie('expr'), tie('expr')).map(([when, one, other]) => choose([branch(when, one)], other)),
    ),
  }));

  it('evaluates to a value and never throws', () => {
    fc.assert(
      fc.property(expr, fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }), (expr, values) => {
        const result = compute(expr, values);
        expect(typeof result).not.toBe('undefined');
        expect(typeof result).not.toBe('function');
        expect(result).not.toBeNaN();
      }),
    );
  });

  it('does not throw even when it is arbitrary JSON', () => {
    const any = fc.jsonValue();
    const words = ['value', 'key', 'cases', 'else', 'parts', 'sep', 'unit', 'from', 'to', 'op', 'args'];
    const members = Object.fromEntries(words.map((word) => [word, any]));
    const type = fc.constantFrom('lit', 'ref', 'if', 'concat', 'datediff', 'math');
    const junk = fc.oneof(any, fc.record({ type, ...members }, { requiredKeys: ['type'] }));
    fc.assert(
      fc.property(junk, (junk) => {
        expect(() => compute(junk as Expr)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});
