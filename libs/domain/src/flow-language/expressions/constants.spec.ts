import fc from 'fast-check';
import type { Constant, Expr } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { LIMITS } from '../definition/limits.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';
import { branch, choose, concat, constant, datediff, elementOf, lit, math, ref, rental, today } from '../rental-flow.check.ts';
import { compileConstants, computeConstants } from './constants.ts';

const compute = (constants: Constant[], answers: Record<string, unknown> = {}, kinds: Record<string, Kind> = {}) =>
  computeConstants(constants, answers, '2026-03-01', new Map(Object.entries(kinds)));

describe('computing constants @spec D2-2.5.1', () => {
  it('returns the answers and one entry for each constant', () => {
    const constants = [constant('next', 'number', math('add', ref('n'), lit(1))), constant('none', 'text', ref('nothing'))];
    expect(compute(constants, { n: '4', m: 'x' })).toEqual({ n: '4', m: 'x', next: 5, none: null });
  });

  it('reads answers both as JSON text and parsed', () => {
    const { plugin } = elementOf(rental(), 'firm', 'plugin');
    const firm = writePluginAnswer(plugin, { picks: { company: { id: '7', label: 'Acme' } }, values: {}, outputs: { seat: 'Graz' } });
    const hasCat = choose([branch({ field: 'keeps', op: 'contains', value: 'cat' }, lit('yes'))], lit('no'));
    const constants = [constant('cat', 'text', hasCat), constant('town', 'text', ref('firm.seat'))];
    const kinds = { keeps: 'multichoice', firm: 'plugin' } as const;
    expect(compute(constants, { keeps: '["cat"]', firm }, kinds)).toMatchObject({ cat: 'yes', town: 'Graz' });
    expect(compute(constants, { keeps: ['cat'], firm }, kinds)).toMatchObject({ cat: 'yes', town: 'Graz' });
  });

  it('does not change the given answers', () => {
    const answers = { n: 1 };
    compute([constant('n', 'number', lit(2)), constant('c', 'number', lit(3))], answers);
    expect(answers).toEqual({ n: 1 });
  });

  it('follows dependencies and not the order of declaration', () => {
    const [a, b, c] = [
      constant('a', 'number', math('add', ref('b'), ref('c'))),
      constant('b', 'number', math('mul', ref('c'), lit(2))),
      constant('c', 'number', lit(5)),
    ] as const;
    for (const order of [
      [a, b, c],
      [c, b, a],
      [b, a, c],
    ])
      expect(compute(order)).toEqual({ a: 15, b: 10, c: 5 });
  });

  it("takes today from the run's date, and gives null for an invalid date", () => {
    const age = [constant('age', 'number', datediff('years', ref('born'), today))];
    const run = compileConstants(age, new Map());
    expect(run({ born: '2000-03-02' }, '2026-03-01')).toMatchObject({ age: 25 });
    expect(run({ born: '2000-03-02' }, '2026-03-02')).toMatchObject({ age: 26 });
    expect(run({ born: '2000-03-02' }, 'today')).toMatchObject({ age: null });
  });

  it('compares constants by their result type and answers by their own type in conditions @spec D2-2.5.4', () => {
    const over9 = (field: string) => ({ field, op: 'gt', value: '9' }) as const;
    const size = choose([branch(over9('sum'), lit('big')), branch(over9('n'), lit('many'))], lit('small'));
    const constants = [constant('sum', 'number', ref('owned')), constant('size', 'text', size)];
    expect(compute(constants, { owned: '10' })).toMatchObject({ size: 'big' });
    expect(compute(constants, { owned: '1', n: '10' }, { n: 'number' })).toMatchObject({ size: 'many' });
    expect(compute(constants, { owned: '1', n: '10' }, { n: 'text' })).toMatchObject({ size: 'small' });
  });

  it('returns null for constants in a cycle and computes those that only depend on them', () => {
    const constants = [
      constant('a', 'text', concat([lit('a'), ref('b')])),
      constant('b', 'text', concat([lit('b'), ref('a')])),
      constant('self', 'number', math('add', lit(1), ref('self'))),
      constant('after', 'text', concat([lit('after'), ref('a')])),
    ];
    expect(compute(constants)).toEqual({ a: null, b: null, self: null, after: 'after' });
    expect(compute(constants.toReversed(), { a: 'answered', self: 1 })).toEqual({ a: null, b: null, self: null, after: 'after' });
  });

  it('ignores malformed and duplicate constants', () => {
    const trap = '{"key": "__proto__", "expr": {"type": "lit", "value": 1}}';
    const odd = JSON.parse(`[null, 5, {}, {"key": 5}, ${trap}, {"key": "C"}]`) as Constant[];
    const values = compute([...odd, constant('c', 'number', lit(1)), constant('c', 'number', lit(2))]);
    expect(values).toEqual({ c: 1 });
    expect(Object.getPrototypeOf(values)).toBeNull();
  });

  it('computes no more than the maximum number of constants', () => {
    const many = Array.from({ length: LIMITS.constants + 1 }, (_, i) => constant(`c${i}`, 'number', i ? ref(`c${i - 1}`) : lit(7)));
    const values = compute(many);
    expect(values[`c${LIMITS.constants - 1}`]).toBe(7);
    expect(values).not.toHaveProperty(`c${LIMITS.constants}`);
  });

  it('returns null when repeated doubling makes a text too long', () => {
    const twice = (key: string) => concat([ref(key), ref(key)]);
    const values = compute(Array.from({ length: 60 }, (_, i) => constant(`c${i}`, 'text', i ? twice(`c${i - 1}`) : lit('x'))));
    expect(values.c10).toHaveLength(1024);
    expect(values.c17).toBeNull();
  });
});

describe('any constants', () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const operand: fc.Arbitrary<Expr> = fc.oneof(
    fc.constantFrom(...keys, 'answer').map(ref),
    fc.integer().map((n) => lit(n)),
    fc.constant(today),
  );
  const expr: fc.Arbitrary<Expr> = fc.oneof(
    operand,
    fc.array(operand, { maxLength: 3 }).map((parts) => concat(parts, '|')),
    fc.array(operand, { minLength: 1, maxLength: 3 }).map((args) => math('add', ...args)),
    fc.tuple(operand, operand).map(([one, other]) => choose([branch({ field: 'b', op: 'gt', value: 3 }, one)], other)),
  );
  const program = fc.tuple(...keys.map(() => expr)).map((exprs) => exprs.map((each, i) => constant(keys[i]!, 'number', each)));

  it('have the same values in any order of declaration', () => {
    const shuffle = (constants: Constant[]) => fc.shuffledSubarray(constants, { minLength: constants.length });
    const shuffled = program.chain((constants) => fc.tuple(fc.constant(constants), shuffle(constants)));
    fc.assert(
      fc.property(shuffled, ([constants, other]) => {
        expect(compute(other, { answer: 5 })).toEqual(compute(constants, { answer: 5 }));
      }),
      { numRuns: 500 },
    );
  });

  it('always have one entry each and never cause an exception', () => {
    fc.assert(
      fc.property(program, fc.dictionary(fc.string(), fc.jsonValue()), (constants, answers) => {
        expect(Object.keys(compute(constants, answers))).toEqual(expect.arrayContaining([...keys, ...Object.keys(answers)]));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (junk, answers) => {
        expect(() => compute(junk as never, answers)).not.toThrow();
      }),
    );
  });
});
