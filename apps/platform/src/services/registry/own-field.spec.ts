import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { fieldFault } from './own-field.ts';

const types = fieldTypes(SYSTEM_ROWS);
const fault = (type: string, options?: string[]) => fieldFault(type, types.resolve(type), options);

describe("user's own field @spec D1-2.5 @gap D1-5", () => {
  it('is accepted with a type of the registry, and with options where the type has none of its own', () => {
    expect(fault('text')).toBeUndefined();
    expect(fault('passport')).toBeUndefined();
    expect(fault('gender')).toBeUndefined();
    expect(fault('select', ['S', 'M', 'L'])).toBeUndefined();
    expect(fault('multiselect', ['red', 'blue'])).toBeUndefined();
  });

  it.each([
    ['a type nobody knows', 'shoe', undefined, /^type: there is none called shoe/],
    ['the reserved type', 'plugin', undefined, /^type: there is none called plugin/],
    ['a choice without options', 'select', undefined, /^options: is missing/],
    ['a choice of nothing', 'select', [], /^options: is missing/],
    ['options for a text', 'text', ['a'], /^options: must be left out/],
    ['options beside those of the type', 'gender', ['robot'], /^options: must be left out/],
    ['an option twice', 'multiselect', ['a', 'b', 'a'], /^options: must name each option once/],
  ])('is rejected with %s', (_, type, options, sentence) => {
    expect(fault(type, options)).toMatch(sentence);
  });
});
