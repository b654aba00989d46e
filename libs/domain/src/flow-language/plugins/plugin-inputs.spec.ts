import { elementOf, rentalFlow } from '../rental-flow.check.ts';
import type { Kind } from '../definition/kinds.ts';
import type { Scalar, ValueType } from '../definition/definition.ts';
import { convertInput, pluginInputs } from './plugin-inputs.ts';

const WIRED = { born: 'born', note: 'age' };
const inputs = (answers: Record<string, unknown>, wiring: Record<string, string> = WIRED, secret: string[] = []) => {
  const flow = rentalFlow((d) => void (elementOf(d, 'firm', 'plugin').plugin.inputs = wiring));
  const { plugin } = elementOf(flow.definition, 'firm', 'plugin');
  return pluginInputs(flow, plugin, flow.values(answers, '2026-03-01'), (key) => secret.includes(key));
};

describe('the inputs of a plugin call @spec D2-4.5.1 @spec D2-4.5.4', () => {
  it('are read from the current values and converted to their types', () => {
    expect(inputs({ born: '1990-01-01', starts: '2026-04-01' })).toEqual({ ready: true, inputs: { born: '1990-01-01', note: '36' } });
  });

  it('omit an optional input that is unwired, unanswered, private or not convertible', () => {
    const answers = { born: '1990-01-01', starts: '2026-04-01' };
    const ready = { ready: true, inputs: { born: '1990-01-01' } };
    expect(inputs(answers, { born: 'born' })).toEqual(ready);
    expect(inputs({ born: '1990-01-01' })).toEqual(ready);
    expect(inputs(answers, undefined, ['age'])).toEqual(ready);
    expect(inputs({ ...answers, reference: { _enc_file: 'f' } }, { born: 'born', note: 'reference' })).toEqual(ready);
    expect(inputs(answers, Object.assign(Object.create({ note: 'age' }) as Record<string, string>, { born: 'born' }))).toEqual(ready);
  });

  it.each<[fault: string, answers: object, wiring?: Record<string, string>, secret?: string[]]>([
    ['unwired', {}, {}],
    ['unanswered', {}],
    ['unanswered', { born: '' }],
    ['private', { born: '1990-01-01' }, WIRED, ['born']],
    ['not_convertible', { born: '1990-02-30' }],
    ['not_convertible', { name: '1990-01-01' }, { born: 'name' }],
  ])('are not ready while a required input is %s', (fault, ...given) => {
    expect(inputs(...(given as Parameters<typeof inputs>))).toEqual({ ready: false, lacking: [{ input: 'born', fault }] });
  });

  it.each<[ValueType, Kind, unknown, Scalar]>([
    ['number', 'number', '5', 5],
    ['number', 'number', 'x', null],
    ['number', 'number', '1e999', null],
    ['number', 'text', '5', null],
    ['date', 'date', '2024-02-29', '2024-02-29'],
    ['date', 'text', '2024-02-29', null],
    ['boolean', 'boolean', false, false],
    ['boolean', 'boolean', 'false', null],
    ['boolean', 'text', true, null],
    ['text', 'number', 5, '5'],
    ['text', 'multichoice', ['a', 'b'], 'a,b'],
    ['text', 'boolean', true, 'true'],
    ['text', 'unknown', 'x', 'x'],
    ['text', 'binary', { _enc_file: 'f' }, null],
  ])('convert to %s from %s %j: %j @spec D2-2.6', (type, kind, value, converted) => {
    expect(convertInput(type, kind, value)).toBe(converted);
  });
});
