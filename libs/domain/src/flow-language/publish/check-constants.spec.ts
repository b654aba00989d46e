import type { Condition, Expr } from '../definition/definition.ts';
import type { Where } from '../definition/finding.ts';
import { branch, choose, concat, constant, datediff, lit, math, nested, ref, today } from '../rental-flow.check.ts';
import {
  add,
  all,
  checkTable,
  field,
  found,
  leaf,
  rule,
  set,
  templates,
  text,
  findingTexts,
  when,
  wire,
  type Change,
  type Family,
} from './findings.check.ts';

const number = (expr: Expr) => add(constant('c', 'number', expr));
const words = (expr: Expr) => add(constant('c', 'text', expr));
const date = (expr: Expr) => add(constant('c', 'date', expr));
const nameless: Condition = { field: 'name', op: 'is_empty' };
const unnoticed = add(constant('c', 'number', lit(1), []));

const deepCondition = (levels: number): Condition => (levels <= 1 ? nameless : { not: deepCondition(levels - 1) });
const deepDate = (levels: number): Expr => (levels <= 1 ? today : choose([], deepDate(levels - 1)));

describe('the publishing check of constants @spec D2-7', () => {
  checkTable<Family<'constant'>>({
    'constant.key_invalid': {
      raised: [
        ['a capital letter', add(constant('Total', 'number', lit(1)))],
        ['a leading digit', add(constant('1st', 'number', lit(1)))],
        ['a trap for prototypes', add(constant('__proto__', 'number', lit(1)))],
        ['nothing at all', add(constant('', 'number', lit(1)))],
        ['a dot', add(constant('a.b', 'number', lit(1)))],
      ],
      quiet: [
        ['letters, digits and underscores', add(constant('t_0', 'number', lit(1)))],
        ['a name every object has', add(constant('constructor', 'number', lit(1)))],
      ],
    },
    'constant.key_duplicate': {
      raised: [
        ['two constants of one key', add(constant('deposit', 'number', lit(1)))],
        ['a constant named like a field', add(constant('rent', 'number', lit(1)))],
        ['a constant named like a plugin field', add(constant('firm', 'text', lit('x')))],
      ],
      quiet: [['a constant named like a node', add(constant('offer', 'number', lit(1)))]],
    },
    'constant.ref_unknown': {
      raised: [
        ['a reference to nothing', number(ref('nothing'))],
        ['a condition on nothing', number(choose([branch({ field: 'nothing', op: 'is_empty' }, lit(1))], lit(2)))],
        ['an output the plugin does not have', words(ref('firm.street'))],
        ['a member every object inherits', words(ref('toString'))],
      ],
      quiet: [['a field, a plugin key and a constant', words(concat([ref('name'), ref('firm.company.id'), ref('age')]))]],
    },
    'constant.cycle': {
      raised: [
        ['a constant that reads itself', number(ref('c'))],
        ['two that read each other', add(constant('c', 'number', ref('e')), constant('e', 'number', ref('c')))],
        ['a circle through a condition', number(choose([branch({ field: 'c', op: 'is_empty' }, lit(1))], lit(2)))],
      ],
      quiet: [['a chain', add(constant('c', 'number', ref('e')), constant('e', 'number', lit(1)))]],
    },
    'constant.ref_not_answerable': {
      raised: [
        ['an edge that asks too early', when(0, { field: 'age', op: 'gt', value: 1 })],
        ['a show_if that asks too early', set('starts', { show_if: { field: 'age', op: 'gt', value: 1 } })],
        [
          'a constant of a constant, too early',
          all(number(math('add', ref('age'), lit(1))), set('starts', { show_if: { not: { or: [{ field: 'c', op: 'gt', value: 1 }] } } })),
        ],
      ],
      quiet: [
        ['an edge that asks on the very step', when(1, { field: 'age', op: 'gt', value: 1 })],
        ['a rule on what only one branch answers', all(words(ref('firm.seat')), rule({ when: { field: 'c', op: 'eq', value: 'Graz' } }))],
      ],
    },
    'constant.shown_on_unknown_node': {
      raised: [['a node that is not there', add(constant('c', 'number', lit(1), ['offer', 'nowhere']))]],
      quiet: [['a node that is', add(constant('c', 'number', lit(1), ['offer']))]],
    },
    'constant.shown_on_not_computable': {
      raised: [
        ['a step before the answer', add(constant('c', 'number', ref('age'), ['tenant_data', 'offer']))],
        ['the other branch', all(leaf('refused', 'tenant_data'), field('refused', 'why', 'text'), words(ref('why'))), templates()],
      ],
      quiet: [
        ['the step of the answer', add(constant('c', 'text', ref('name'), ['tenant_data']))],
        ['a constant that needs no answer', add(constant('c', 'date', today, ['offer']))],
      ],
    },
    'constant.type_mismatch': {
      raised: [
        ['text declared number', number(ref('name'))],
        ['a choice declared number', number(ref('use'))],
        ['a list declared text', words(ref('keeps'))],
        ['an address declared text', words(ref('home'))],
        ['a file declared text', words(ref('reference'))],
        ['a plugin answer declared text', words(ref('firm'))],
        ['a plugin boolean declared text', words(ref('firm.listed'))],
        ['a constant of another type', words(ref('age'))],
        ['text in math', number(math('add', ref('rent'), ref('name')))],
        ['a date in math', number(math('max', today))],
        ['a number in datediff', number(datediff('days', ref('rent'), today))],
        ['text as the end of datediff', number(datediff('days', today, lit('2020-01-01')))],
        ['branches that differ', words(choose([branch(nameless, lit('x'))], lit(1)))],
        ['branches of another type', words(choose([branch(nameless, lit(1))], lit(1)))],
        ['a concatenation declared number', number(concat([lit(1)]))],
        ['two arguments for round', number(math('round', lit(1), lit(2)))],
        ['one argument for sub', number(math('sub', lit(1)))],
        ['three arguments for div', number(math('div', lit(1), lit(2), lit(3)))],
        ['no argument for max', number(math('max'))],
        ['a fault deep inside', words(concat([math('add', lit(1), math('neg', lit('a')))]))],
        ['a literal that is not of its type', number(lit('5', 'number'))],
        ['a literal that is no date', date(lit('2020-02-30', 'date'))],
        ['today declared text', words(today)],
        ['days declared date', date(datediff('days', today, today))],
        ['math declared text', words(math('neg', lit(1)))],
      ],
      quiet: [
        ['a choice as text', words(ref('use'))],
        ['a list inside a concatenation', words(concat([ref('keeps'), ref('home')]))],
        ['a boolean of a plugin', add(constant('c', 'boolean', ref('firm.listed')))],
        ['a literal boolean', add(constant('c', 'boolean', lit(false)))],
        ['a pick', words(ref('firm.company'))],
        ['a typed block', number(ref('firm.year'))],
        ['branches of one type', number(choose([branch(nameless, ref('rent'))], ref('income')))],
        ['an if without cases', number(choose([], lit(1)))],
        ['a literal null', date(lit(null, 'date'))],
        ['dates where dates belong', number(datediff('months', ref('born'), lit('2020-02-29', 'date')))],
        ['one argument for add', number(math('add', lit(1)))],
      ],
    },
    'constant.expr_too_deep': {
      raised: [
        ['65 levels', number(nested(65))],
        ['a thousand levels', number(nested(1000))],
        ['65 levels by way of an else', number(choose([branch(nameless, lit(1))], nested(64)))],
        ['65 levels by way of a then', number(choose([branch(nameless, nested(64))], lit(1)))],
        ['65 levels in a concatenation', words(concat([lit('a'), nested(64)]))],
        ['65 levels at the start of datediff', number(datediff('days', deepDate(64), today))],
        ['65 levels at the end of datediff', number(datediff('days', today, deepDate(64)))],
      ],
      quiet: [
        ['64 levels', number(nested(64))],
        ['64 levels at both ends of datediff', number(datediff('days', deepDate(63), deepDate(63)))],
        ['a lone leaf', number(lit(1))],
        ['conditions, which do not count', number(choose([branch(deepCondition(64), lit(1))], lit(1)))],
      ],
    },
    'constant.unused': {
      raised: [
        ['a constant nobody asks for', unnoticed],
        ['one that text only escapes', all(unnoticed, text('offer', '\\{{c}}'))],
      ],
      quiet: [
        ['one that is shown', add(constant('c', 'number', lit(1), ['offer']))],
        ['one another constant reads', all(unnoticed, add(constant('e', 'number', ref('c'))))],
        ['one an edge asks', all(unnoticed, when(0, { field: 'c', op: 'eq', value: 1 }))],
        ['one a show_if asks', all(unnoticed, set('name', { show_if: { field: 'c', op: 'eq', value: 1 } }))],
        ['one a rule asks', all(unnoticed, rule({ when: { field: 'c', op: 'eq', value: 1 } }))],
        ['one a default reads', all(unnoticed, set('rent', { default: ref('c') }))],
        ['one a minimum reads', all(unnoticed, set('rent', { min: ref('c') }))],
        ['one a maximum reads', all(unnoticed, set('rent', { max: ref('c') }))],
        ['one a plugin is fed', all(unnoticed, wire({ born: 'born', note: 'c' }))],
        ['one a text shows', all(unnoticed, text('offer', '[b]{{c}}'))],
        ['one a template prints', unnoticed, templates({ lease_office: ['c'] })],
      ],
    },
  });

  it('does not report a type mismatch for an unknown reference', () => {
    const either = choose([branch(nameless, ref('nothing'))], lit(1));
    expect(found(number(math('add', either, ref('nothing')))).map(({ key }) => key)).toEqual(['constant.ref_unknown']);
  });

  it('infers the type of an if from its other branches', () => {
    const either = choose([branch(nameless, ref('nothing'))], lit('x'));
    expect(
      found(number(either))
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['constant.ref_unknown', 'constant.type_mismatch']);
  });

  it.each<[Change, Where, string]>([
    [add(constant('Total', 'number', lit(1))), { constant: 'Total' }, 'The key Total must match ^[a-z][a-z0-9_]*$'],
    [add(constant('rent', 'number', lit(1))), { constant: 'rent' }, "The key rent is a field's or another constant's too: rename one"],
    [number(ref('nothing')), { constant: 'c' }, 'The constant c reads nothing, which is no slug and no constant'],
    [number(lit('x')), { constant: 'c' }, 'In the constant c, its expression gives text, not number'],
    [number(lit('x', 'number')), { constant: 'c' }, 'In the constant c, a literal is declared number but is not'],
    [number(choose([branch(nameless, lit('x'))], lit(1))), { constant: 'c' }, 'In the constant c, the branches of an if differ in type'],
    [number(datediff('days', lit(1), today)), { constant: 'c' }, 'In the constant c, datediff takes dates only'],
    [number(math('neg', today)), { constant: 'c' }, 'In the constant c, neg takes numbers only'],
    [number(math('sub', lit(1))), { constant: 'c' }, 'In the constant c, sub does not take 1 arguments'],
    [number(nested(65)), { constant: 'c' }, 'The constant c nests deeper than 64 levels: split it'],
    [add(constant('c', 'number', lit(1), ['x'])), { constant: 'c', node: 'x' }, 'The constant c is shown on x, which is no node'],
    [
      add(constant('c', 'number', ref('age'), ['offer'])),
      { constant: 'c', node: 'offer' },
      'The constant c is shown on offer, but reads answers given later or elsewhere',
    ],
    [unnoticed, { constant: 'c' }, 'The constant c is used nowhere: remove it or show it'],
  ])('reports the position and the fault: %#', (change, where, message) => {
    expect(findingTexts(change)).toEqual([[where, message]]);
  });
});
