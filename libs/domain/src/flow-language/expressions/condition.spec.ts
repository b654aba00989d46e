import fc from 'fast-check';
import { CONDITION_OPS, type Condition, type ConditionOp, type Leaf } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { LIMITS } from '../definition/limits.ts';
import { compilation } from './compilation.ts';
import { compileCondition } from './condition.ts';
import { fieldsOf } from './reads.ts';

const holds = (condition: Condition, values: Record<string, unknown> = {}, kinds: Record<string, Kind> = {}) =>
  compileCondition(condition, compilation(new Map(Object.entries(kinds))))(values);
const compare = (kind: Kind, given: unknown, op: ConditionOp, value?: unknown) =>
  holds({ field: 'f', op, value } as Leaf, { f: given }, { f: kind });

const yes: Condition = { field: 'nothing', op: 'is_empty' };
const no: Condition = { field: 'nothing', op: 'is_not_empty' };

describe('a condition @gap D2-2.2', () => {
  it('combines other conditions with and, or and not', () => {
    expect(holds({ and: [yes, yes] })).toBe(true);
    expect(holds({ and: [yes, no] })).toBe(false);
    expect(holds({ or: [no, yes] })).toBe(true);
    expect(holds({ or: [no, no] })).toBe(false);
    expect(holds({ not: no })).toBe(true);
    expect(holds({ not: { and: [yes, { or: [no, { not: yes }] }] } })).toBe(true);
  });

  it('holds for an empty and, but not for an empty or', () => {
    expect(holds({ and: [] })).toBe(true);
    expect(holds({ or: [] })).toBe(false);
  });

  it('uses the same definition of empty as field types', () => {
    for (const empty of [null, undefined, '', [], {}]) {
      expect(compare('text', empty, 'is_empty')).toBe(true);
      expect(compare('text', empty, 'is_not_empty')).toBe(false);
    }
    for (const full of [' ', 0, false, ['x'], { a: null }]) {
      expect(compare('text', full, 'is_empty')).toBe(false);
      expect(compare('text', full, 'is_not_empty')).toBe(true);
    }
  });

  it('may nest down to 64 levels, and deeper levels never hold', () => {
    const deep = (levels: number): Condition => (levels <= 1 ? yes : { and: [deep(levels - 1)] });
    expect(holds(deep(64))).toBe(true);
    expect(holds(deep(65))).toBe(false);
    expect(holds({ not: deep(63) })).toBe(false);
    expect(holds({ not: deep(64) })).toBe(true);
  });

  it('is not compiled beyond the maximum number of values', () => {
    const kept = (members: number) => holds({ or: [...Array.from({ length: members }, () => no), yes] });
    expect(kept(LIMITS.values - 2)).toBe(true);
    expect(kept(LIMITS.values - 1)).toBe(false);
  });

  it('reads no field whose name is not a string', () => {
    expect([...fieldsOf({ or: [{ field: 5, op: 'is_empty' } as never, yes] })]).toEqual(['nothing']);
  });

  it('never holds when it is malformed', () => {
    const leaves = [{ field: 5, op: 'eq', value: 5 }, { field: 'f', op: 'like', value: 1 }, { field: 'f' }];
    for (const junk of [null, 5, [], {}, { and: 5 }, { and: [null] }, { or: {} }, ...leaves]) {
      expect(holds(junk as Condition, { f: 1 })).toBe(false);
    }
    for (const op of ['toString', 'constructor', ['eq'], null]) expect(compare('text', 'a', op as ConditionOp, 'a')).toBe(false);
    for (const op of ['toString', ['eq'], null]) expect(compare('multichoice', ['a'], op as ConditionOp, ['a'])).toBe(false);
  });

  it('ignores inherited properties', () => {
    expect(holds({ field: 'constructor', op: 'is_empty' })).toBe(true);
    expect(holds({ field: '__proto__', op: 'is_empty' })).toBe(true);
  });
});

describe('the comparison of a condition by type @gap D2-2.2', () => {
  it.each<[Kind, unknown, ConditionOp, unknown]>([
    ['number', '10', 'gt', 9],
    ['number', '10', 'gt', '9'],
    ['number', ' 5 ', 'eq', 5],
    ['number', '5.0', 'eq', '5'],
    ['number', 5, 'ne', 6],
    ['number', 5, 'gte', 5],
    ['number', 5, 'lte', 5],
    ['number', -5, 'lt', 0],
    ['number', '5', 'in', [4, '5.00']],
    ['number', '5', 'not_in', [4, 6]],
    ['number', 5, 'not_in', []],
    ['text', '10', 'lt', '9'],
    ['text', 'a', 'lt', 'b'],
    ['text', 'Z', 'lt', 'a'],
    ['text', '\uFF5E', 'lt', '\u{1F600}'],
    ['text', '5', 'eq', 5],
    ['text', 'Graz', 'contains', 'raz'],
    ['text', 'Graz', 'contains', ''],
    ['text', '1234', 'contains', 23],
    ['text', 'a', 'in', ['b', 'a']],
    ['text', 'a', 'ne', 'A'],
    ['choice', 'flat', 'eq', 'flat'],
    ['choice', 'flat', 'not_in', ['office', 'shop']],
    ['date', '2024-02-29', 'gt', '2024-02-28'],
    ['date', '2024-02-29', 'lte', '2024-02-29'],
    ['date', '2024-02-29', 'in', ['2024-02-29']],
    ['boolean', true, 'eq', true],
    ['boolean', true, 'ne', false],
    ['boolean', false, 'lte', false],
    ['multichoice', ['cat', 'dog'], 'eq', ['dog', 'cat']],
    ['multichoice', ['cat'], 'eq', 'cat'],
    ['multichoice', ['cat'], 'ne', ['cat', 'dog']],
    ['multichoice', ['cat', 'dog'], 'ne', ['cat']],
    ['multichoice', ['cat', 'dog'], 'ne', ['cat', 'fish']],
    ['multichoice', ['cat', 'dog'], 'contains', 'dog'],
    ['multichoice', ['cat', 'dog'], 'contains', ['dog', 'cat']],
    ['multichoice', ['cat', 'dog'], 'in', ['fish', 'dog']],
    ['multichoice', ['cat'], 'not_in', ['fish', 'dog']],
    ['unknown', '10', 'gt', 9],
    ['unknown', 'b', 'gt', 'a'],
    ['unknown', true, 'eq', true],
    ['unknown', '5', 'in', [5.0]],
  ])('for %s: %j %s %j is true', (kind, given, op, value) => {
    expect(compare(kind, given, op, value)).toBe(true);
  });

  it.each<[Kind, unknown, ConditionOp, unknown]>([
    ['number', '10', 'lt', 9],
    ['number', 5, 'gt', 5],
    ['number', 5, 'lt', 5],
    ['number', 5, 'ne', '5.0'],
    ['number', 'x', 'ne', 5],
    ['number', 5, 'ne', 'x'],
    ['number', 5, 'not_in', [4, 'x']],
    ['number', 'x', 'not_in', []],
    ['number', 5, 'not_in', 4],
    ['number', 5, 'in', 5],
    ['number', '1e999', 'gt', 5],
    ['number', 55, 'contains', 5],
    ['number', true, 'eq', 1],
    ['text', null, 'ne', 'a'],
    ['text', 'a', 'ne', null],
    ['text', null, 'not_in', ['a']],
    ['text', 'a', 'not_in', ['b', 'a']],
    ['text', 'a', 'in', []],
    ['text', 'a', 'eq', true],
    ['text', ['a'], 'eq', 'a'],
    ['text', 'Graz', 'contains', 'RAZ'],
    ['text', null, 'contains', ''],
    ['text', 'a', 'contains', null],
    ['text', 'null', 'contains', null],
    ['text', 'b', 'lt', 'a'],
    ['date', '2024-02-30', 'ne', '2024-02-28'],
    ['date', '2024-02-29', 'lt', 'soon'],
    ['date', '2024-02-29', 'contains', '2024'],
    ['boolean', true, 'gt', false],
    ['boolean', false, 'lt', true],
    ['boolean', true, 'lte', false],
    ['boolean', 'true', 'eq', true],
    ['boolean', true, 'eq', 1],
    ['boolean', 'yes', 'ne', false],
    ['boolean', true, 'ne', 'no'],
    ['multichoice', [], 'ne', ['cat']],
    ['multichoice', [], 'not_in', ['cat']],
    ['multichoice', 'cat', 'eq', 'cat'],
    ['multichoice', ['cat'], 'ne', null],
    ['multichoice', ['cat'], 'not_in', undefined],
    ['multichoice', ['cat'], 'lt', ['dog']],
    ['multichoice', ['cat', 'dog'], 'eq', ['cat']],
    ['multichoice', ['cat'], 'eq', ['cat', 'dog']],
    ['multichoice', ['cat'], 'contains', 'dog'],
    ['multichoice', ['cat'], 'contains', ['cat', 'dog']],
    ['multichoice', ['cat'], 'in', ['dog']],
    ['multichoice', ['cat', 'dog'], 'not_in', ['dog']],
    ['composite', { city: 'Graz' }, 'ne', 'Graz'],
    ['binary', { _enc_file: 'f' }, 'ne', 'x'],
    ['plugin', '{}', 'ne', 'x'],
    ['unknown', 'x', 'ne', 5],
    ['unknown', 5, 'eq', true],
  ])('for %s: %j %s %j is false', (kind, given, op, value) => {
    expect(compare(kind, given, op, value)).toBe(false);
  });

  it('treats an unregistered field as of unknown type', () => {
    expect(holds({ field: 'f', op: 'gt', value: 9 }, { f: '10' })).toBe(true);
  });

  it('is never true for both an operator and its opposite, nor for either with null', () => {
    const opposites: [ConditionOp, ConditionOp][] = [
      ['eq', 'ne'],
      ['lt', 'gte'],
      ['gt', 'lte'],
    ];
    const kind = fc.constantFrom<Kind>('text', 'number', 'date');
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant('2024-02-29'), fc.constant('7'), fc.constant(null));
    fc.assert(
      fc.property(kind, value, value, (kind, given, value) => {
        for (const [op, opposite] of opposites) {
          const verdicts = [compare(kind, given, op, value), compare(kind, given, opposite, value)];
          const most = given === null || value === null ? 0 : 1;
          expect(verdicts.filter(Boolean).length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  it('always returns a boolean', () => {
    const kinds: Kind[] = ['text', 'number', 'date', 'boolean', 'choice', 'multichoice', 'composite', 'binary', 'plugin', 'unknown'];
    const [kind, op] = [fc.constantFrom(...kinds), fc.constantFrom(...CONDITION_OPS)];
    fc.assert(
      fc.property(kind, fc.jsonValue(), op, fc.jsonValue(), (kind, given, op, value) => {
        expect(typeof compare(kind, given, op, value)).toBe('boolean');
      }),
    );
  });
});
