import { IBAN as iban } from '@codase/testing/operator-field-type';
import { putFaults } from './field-type-rows.ts';

describe("operator's field type @spec D1-2.5", () => {
  it('is accepted as a new row, a changed label or validation, and a subtype', () => {
    expect(putFaults(iban, [])).toEqual([]);
    expect(putFaults({ ...iban, label: 'Bank account', validation: null }, [iban])).toEqual([]);
    expect(putFaults({ ...iban, type: 'swedish_iban', parent: 'iban', validation: 'SE.*' }, [iban])).toEqual([]);
  });

  it.each([
    ['a type of the platform', { type: 'email' }, /type of the platform/],
    ['the reserved name', { type: 'plugin' }, /reserved/],
    ['a name with a dot', { type: 'bank.iban' }, /letter/],
    ["a row that says it is the platform's", { is_system: true }, /is_system/],
    ['a parent that is none', { type: 'other', parent: 'nothing' }, /has no row/],
    ['a regex that is none', { type: 'other', validation: '(' }, /validation/],
    ['another parent for one that stands', { parent: 'number' }, /never change/],
    ['another input for one that stands', { input: 'date' }, /never change/],
  ])('is rejected with %s', (_, change, sentence) => {
    expect(putFaults({ ...iban, ...change } as never, [iban]).join('\n')).toMatch(sentence);
  });
});
