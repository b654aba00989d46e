import fc from 'fast-check';
import { fieldTypes } from './field-types.ts';
import { readPlaintext, validatePlaintext, writePlaintext } from './plaintext.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

const types = fieldTypes(SYSTEM_ROWS);

describe('a decrypted plaintext @spec D1-2.3', () => {
  const texts = ['text', 'number', 'date', 'gender', 'country', 'phone', 'unheard_of', 'plugin'];
  it.each(texts)('is kept as a string for type %s, even when it looks like JSON', (type) => {
    expect(readPlaintext(types, type, '{"a":1}')).toBe('{"a":1}');
  });

  it.each(['address', 'multiselect', 'photo', 'passport'])('is parsed as JSON for type %s', (type) => {
    expect(readPlaintext(types, type, '{"a":1}')).toEqual({ a: 1 });
  });

  it('is kept as text and fails validation when it is not valid JSON', () => {
    expect(readPlaintext(types, 'address', 'Main Street')).toBe('Main Street');
    expect(validatePlaintext(types, 'address', 'Main Street')).toMatchObject({ ok: false, reason: { code: 'not_an_object' } });
  });

  it('is validated by its field type', () => {
    expect(validatePlaintext(types, 'address', '{"street":"1 Main St","city":"Ely","country":"GB"}')).toMatchObject({ ok: true });
    expect(validatePlaintext(types, 'integer', ' 7 ')).toEqual({ ok: true, normalised: '7' });
  });

  it('is written as JSON unless it is text, and reads back to the same value', () => {
    expect([writePlaintext({ a: 1 }), writePlaintext(['a']), writePlaintext('a')]).toEqual(['{"a":1}', '["a"]', 'a']);
    fc.assert(fc.property(fc.string(), (text) => expect(readPlaintext(types, 'text', writePlaintext(text))).toBe(text)));
    const objects = fc.dictionary(fc.string(), fc.string());
    fc.assert(fc.property(objects, (object) => expect(readPlaintext(types, 'address', writePlaintext(object))).toEqual({ ...object })));
  });
});
