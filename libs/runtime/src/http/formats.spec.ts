import { BODY_VALUES } from '@codase/contracts';
import { formatOf, JSON_FORMAT, negotiate, XML_FORMAT } from './formats.ts';

describe('content negotiation @spec D1-4', () => {
  it.each([
    [undefined, JSON_FORMAT],
    ['', JSON_FORMAT],
    ['*/*', JSON_FORMAT],
    ['application/*', JSON_FORMAT],
    ['application/json', JSON_FORMAT],
    ['application/xml', XML_FORMAT],
    ['text/xml', XML_FORMAT],
    ['text/html, application/xml;q=0.9, */*;q=0.1', XML_FORMAT],
    ['application/xml;q=0.2, application/json;q=0.8', JSON_FORMAT],
    ['application/json;q=0, application/xml', XML_FORMAT],
    ['text/html', JSON_FORMAT],
    ['application/xml;q=0', undefined],
  ])('chooses the response format for Accept %s', (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  });

  it.each([
    ['application/json', JSON_FORMAT],
    ['Application/JSON; charset=utf-8', JSON_FORMAT],
    ['text/xml', XML_FORMAT],
    ['text/plain', undefined],
    [undefined, undefined],
  ])('recognises the request format for Content-Type %s', (type, format) => {
    expect(formatOf(type)).toBe(format);
  });
});

describe('a JSON request body @gap D1-8', () => {
  const list = (entries: number, entry: string) => `[${Array.from({ length: entries }, () => entry).join(',')}]`;
  const reading = (source: string) => () => JSON_FORMAT.read(Buffer.from(source));

  it.each([
    ['numbers', list(BODY_VALUES, '0')],
    ['objects', list(BODY_VALUES / 2, '{}')],
    ['members', `{${Array.from({ length: BODY_VALUES }, (_, nth) => `"m${nth}":0`).join(',')}}`],
    ['lists in lists', list(BODY_VALUES / 2, '[[]]')],
  ])('is rejected with too many %s', (_, source) => {
    expect(reading(source)).toThrow(
      expect.objectContaining({ key: 'request.invalid', message: expect.stringContaining('body: must hold at most 100000 values') }),
    );
  });

  it('is accepted at the limit of values; commas and brackets inside strings do not count', () => {
    expect(reading(list(BODY_VALUES - 1, '0'))()).toHaveLength(BODY_VALUES - 1);
    expect(reading(list(BODY_VALUES / 2 - 1, '{}'))()).toHaveLength(BODY_VALUES / 2 - 1);
    expect(reading(JSON.stringify([',[{'.repeat(BODY_VALUES), '\\",'.repeat(BODY_VALUES)]))()).toHaveLength(2);
  });
});
