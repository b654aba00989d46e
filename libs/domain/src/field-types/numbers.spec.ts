import fc from 'fast-check';
import { decimalText, floatText, integerText, numberText } from './numbers.ts';

describe('reading numbers from text @spec D1-2.5', () => {
  it.each([
    ['0', '0'],
    ['-7', '-7'],
    [' 42\n', '42'],
    ['\u00a042\u2003', '42'],
    ['007', '007'],
    ['-0', '-0'],
  ])('accepts %j as the integer %s', (text, normalised) => {
    expect(integerText(text)).toBe(normalised);
  });

  it.each(['', ' ', '-', '+5', '1.0', '1e3', '1 000', '1,000', '--5', '٤', '0x10', '5-'])('rejects %j as an integer', (text) => {
    expect(integerText(text)).toBeUndefined();
  });

  it.each(['1', '-1', '12345678', '12345678.9', '0.99', '-0.5'])('accepts %j as a decimal @spec D1-8', (text) => {
    expect(decimalText(` ${text} `)).toBe(text);
  });

  it.each(['123456789', '1.', '.5', '1.234', '1,5', '1x5', '1e2', '+1', ''])('rejects %j as a decimal @spec D1-8', (text) => {
    expect(decimalText(text)).toBeUndefined();
  });

  it.each(['1', '-1.25', '1e9', '1E+9', '6.02e-23', '1e999', '10.10e10'])('accepts %j as a float', (text) => {
    expect(floatText(`\t${text}`)).toBe(text);
  });

  const noFloats = ['1.', '.5', '1e', '1e+', 'e5', '1x5', '1.5.5', '+1', 'Infinity', 'NaN', '1_000', '0x10', '', '1e5x'];
  it.each(noFloats)('rejects %j as a float', (text) => {
    expect(floatText(text)).toBeUndefined();
  });

  it.each(['1', '-1.5', '1e308', ' 5 '])('accepts %j as a number', (text) => {
    expect(numberText(text)).toBe(text.trim());
  });

  const notFinite = ['1e309', '-1e309', `1${'0'.repeat(400)}`, 'Infinity', '', ' ', 'x', '0x10', '.5'];
  it.each(notFinite)('rejects %j as a finite number @gap D1-2.5', (text) => {
    expect(numberText(text)).toBeUndefined();
  });

  it('keeps the value of every finite double that ECMAScript prints', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(fc.property(finite, (value) => expect(Number(numberText(`${value}`)) === value).toBe(true)));
  });
});
