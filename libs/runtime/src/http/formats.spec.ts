import { formatOf, JSON_FORMAT, negotiate, XML_FORMAT } from './formats.ts';

describe('negotiation @spec D1-4', () => {
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
  ])('Accept %s', (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  });

  it.each([
    ['application/json', JSON_FORMAT],
    ['Application/JSON; charset=utf-8', JSON_FORMAT],
    ['text/xml', XML_FORMAT],
    ['text/plain', undefined],
    [undefined, undefined],
  ])('Content-Type %s', (type, format) => {
    expect(formatOf(type)).toBe(format);
  });
});
