import { isEmpty, isJsonObject, member } from './json-values.ts';

describe('an empty value @spec D1-2.5 @gap D1-2.5', () => {
  it.each([[undefined], [null], [''], [[]], [{}]])('may be %j', (value) => {
    expect(isEmpty(value)).toBe(true);
  });

  it.each([[' '], ['0'], [0], [false], [[null]], [['']], [{ a: null }]])('may not be %j', (value) => {
    expect(isEmpty(value)).toBe(false);
  });
});

describe('a JSON object', () => {
  it.each([[null], [[]], ['{}'], [1], [undefined]])('is not %j', (value) => {
    expect(isJsonObject(value)).toBe(false);
  });

  it('has only its own members, without inherited ones or __proto__', () => {
    const object = JSON.parse('{"a":1,"__proto__":{"b":2}}');

    expect(isJsonObject(object)).toBe(true);
    expect(['a', 'b', 'toString'].map((key) => member(object, key))).toEqual([1, undefined, undefined]);
    expect(member({}, '__proto__')).toBeUndefined();
  });
});
