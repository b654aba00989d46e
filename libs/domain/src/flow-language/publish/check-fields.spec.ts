import { branch, choose, lit, math, nested, ref, today } from '../rental-flow.check.ts';
import { checkTable, field, set, findingTexts, type Family } from './findings.check.ts';

describe('the publishing check of defaults and bounds @spec D2-7', () => {
  checkTable<Family<'field'>>({
    'field.default_not_allowed': {
      raised: [
        ['a default on a choice', set('use', { default: lit('flat') })],
        ['a default on several choices', set('keeps', { default: lit('cat') })],
        ['a default on a file', set('reference', { default: lit('x') })],
        ['a minimum on a choice', set('use', { min: lit(1) })],
        ['a maximum on a file', set('reference', { max: lit(1) })],
        ['a default on a field that must be linked', set('name', { default: lit('x'), link: 'connected' })],
        ['a minimum on a field that must be verified', set('income', { min: lit(1), link: 'verified' })],
        ['a default on a choice of the registry', field('offer', 'sex', 'gender', { default: lit('other') })],
      ],
      quiet: [
        ['a default on text', set('name', { default: lit('x') })],
        ['a default on a country', field('offer', 'land', 'country', { default: lit('AT') })],
      ],
    },
    'field.default_type_mismatch': {
      raised: [
        ['a number for text', set('name', { default: lit(1) })],
        ['text for a number', set('income', { default: ref('name') })],
        ['a number for a date', set('starts', { default: lit(1) })],
        ['text for a date', set('starts', { default: lit('2020-01-01') })],
        ['anything for an address', set('home', { default: lit('x') })],
        ['a boolean for text', set('name', { default: lit(true) })],
        ['a fault inside', set('income', { default: math('add', lit(1), lit('a')) })],
      ],
      quiet: [
        ['a number for a decimal', set('rent', { default: lit(1.005) })],
        ['a choice for text', set('name', { default: ref('use') })],
      ],
    },
    'field.bound_type_mismatch': {
      raised: [
        ['a minimum on text', set('name', { min: lit('a') })],
        ['a maximum on an address', set('home', { max: lit(1) })],
        ['a date for a number', set('rent', { max: today })],
        ['a number for a date', set('starts', { min: lit(1) })],
        ['a fault inside', set('rent', { min: math('sub', lit(1)) })],
      ],
      quiet: [
        ['dates for a date', set('starts', { min: today, max: lit('2030-01-01', 'date') })],
        ['numbers for a number', set('income', { min: ref('rent'), max: lit(9) })],
      ],
    },
    'field.ref_not_answerable': {
      raised: [
        ['a default on an answer given later', set('rent', { default: ref('income') })],
        ['a minimum on nothing', set('rent', { min: ref('nothing') })],
        ['a maximum on a constant too early', set('rent', { max: ref('age') })],
        ['a condition inside a default', set('rent', { default: choose([branch({ field: 'no', op: 'is_empty' }, lit(1))], lit(2)) })],
      ],
      quiet: [
        ['an answer of the same step', set('income', { default: ref('age') })],
        ['an answer of an earlier step', set('income', { min: ref('rent') })],
      ],
    },
    'field.expr_too_deep': {
      raised: [
        ['a default of 65 levels', set('rent', { default: nested(65) })],
        ['a maximum of 65 levels', set('rent', { max: nested(65) })],
      ],
      quiet: [['a minimum of 64 levels', set('rent', { min: nested(64) })]],
    },
  });

  it('reports the position and the fault', () => {
    const where = { node: 'offer', element: 'rent' };
    expect(findingTexts(set('rent', { max: today }))).toEqual([[where, 'The max of rent gives date, but the field holds number']]);
    expect(findingTexts(set('name', { min: lit('a') }))).toEqual([
      [{ node: 'tenant_data', element: 'name' }, 'The min of name needs a number or date field'],
    ]);
    const late = 'The default of rent reads income, which is not answered by then';
    expect(findingTexts(set('rent', { default: ref('income') }))).toEqual([[where, late]]);
  });
});
