import { isEmpty, isJsonObject, member } from './json-values.ts';

describe('an empty value @spec D1-2.5 @gap D1-2.5', () => {
  it.each([[undefined], [null], [''], [[]], [{}]])('is %j', (value) => {
    expect(isEmpty(value)).toBe(true);
  });

  it.each([[' '], ['0'], [0], [false], [[null]], [['']], [{ a: null }]])('is not %j', (value) => {
    expect(isEmpty(value)).toBe(false);
  });
});

describe('an object as JSON has it', () => {
  it.each([[null], [[]], ['{}'], [1], [undefined]])('is not %j', (value) => {
    expect(isJsonObject(value)).toBe(false);
  });

  it('has its own members, not those of every object', () => {
    const object = JSON.parse('{"a":1,"__proto__":{"b":2}}');

    expect(isJsonObject(object)).toBe(true);
    expect(['a', 'b', 'toString'].map((key) => member(object, key))).toEqual([1, undefined, undefined]);
    expect(member({}, '__proto__')).toBeUndefined();
  });
});
