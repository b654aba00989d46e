import fc from 'fast-check';
import { elementOf, rental } from '../rental-flow.check.ts';
import { LIMITS } from '../definition/limits.ts';
import type { ValueType } from '../definition/definition.ts';
import { fits, pluginAnswerFault, pluginAnswerText, readPluginAnswer, writePluginAnswer, type PluginAnswer } from './plugin-answer.ts';

const { plugin } = elementOf(rental(), 'firm', 'plugin');
const acme = { picks: { company: { id: '7', label: 'Acme' } }, values: { year: 1999 }, outputs: { seat: 'Graz', listed: true } };
const written = writePluginAnswer(plugin, acme);
const changed = (change: (answer: PluginAnswer) => void) => {
  const answer = JSON.parse(written) as PluginAnswer;
  change(answer);
  return JSON.stringify(answer);
};

describe('a plugin answer @spec D2-2.6', () => {
  it('contains its plugin, field type, blocks in declared order and outputs', () => {
    expect(JSON.parse(written)).toEqual({
      plugin: 'Company register',
      field_type: 'company',
      blocks: [
        { key: 'company', kind: 'search_select', label: 'Company', pick: { id: '7', label: 'Acme' } },
        { key: 'year', kind: 'number', label: 'Year', value: 1999 },
      ],
      outputs: [
        { key: 'seat', type: 'text', label: 'Seat', value: 'Graz' },
        { key: 'listed', type: 'boolean', label: 'Listed', value: true },
      ],
    });
  });

  it('reads back as it was written', () => {
    expect(readPluginAnswer(written)).toEqual(JSON.parse(written));
    expect(pluginAnswerFault(plugin, written)).toBeNull();
    expect(pluginAnswerText(readPluginAnswer(written)!)).toBe('Acme, 1999');
  });

  it('is rejected over the maximum length', () => {
    const padded = written.padEnd(LIMITS.plugin_answer);
    expect(readPluginAnswer(padded)).not.toBeNull();
    expect(readPluginAnswer(`${padded} `)).toBeNull();
  });

  it('contains null for picks, values and outputs that were not given', () => {
    const empty = writePluginAnswer(plugin, { picks: Object.create(acme.picks) as typeof acme.picks, values: {}, outputs: {} });
    const answer = readPluginAnswer(empty)!;
    expect(answer.blocks.map(({ pick, value }) => [pick, value])).toEqual([
      [null, undefined],
      [undefined, null],
    ]);
    expect(answer.outputs.map(({ value }) => value)).toEqual([null, null]);
    expect(pluginAnswerText(answer)).toBe('');
  });

  it.each<[string, unknown]>([
    ['no text', JSON.parse(written)],
    ['no JSON', 'Acme'],
    ['something else', '{"a":1}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a strange member', changed((answer) => Object.assign(answer, { more: 1 }))],
    ['a block without a pick', changed((answer) => void delete answer.blocks[0]!.pick)],
    ['a pick with a value', changed((answer) => void (answer.blocks[0]!.value = 'x'))],
    ['a pick without a label', changed((answer) => void delete (answer.blocks[0]!.pick as { label?: string }).label)],
    ['a value with a pick', changed((answer) => void (answer.blocks[1]!.pick = { id: '1', label: '1' }))],
    ['a block without a value', changed((answer) => void delete answer.blocks[1]!.value)],
    ['a value of another type', changed((answer) => void (answer.blocks[1]!.value = '1999'))],
    ['an output of another type', changed((answer) => void (answer.outputs[1]!.value = 'yes'))],
  ])('is rejected as malformed: %s', (_what, text) => {
    expect(readPluginAnswer(text)).toBeNull();
    expect(pluginAnswerFault(plugin, text)).toMatch(/no plugin answer/);
  });

  it.each<[string, string, RegExp]>([
    ['another plugin', changed((answer) => void (answer.plugin = 'Other')), /made by Other for company/],
    ['another field type', changed((answer) => void (answer.field_type = 'person')), /made by Company register for person/],
    ['a block missing', changed((answer) => void answer.blocks.pop()), /blocks/],
    ['another order', changed((answer) => void (answer.blocks = answer.blocks.toReversed())), /blocks/],
    ['a block of another key', changed((answer) => void (answer.blocks[0]!.key = 'firm')), /blocks/],
    ['a block of another kind', changed((answer) => void Object.assign(answer.blocks[1]!, { kind: 'text', value: 'x' })), /blocks/],
    ['an output too many', changed((answer) => void answer.outputs.push({ key: 'x', type: 'text', label: '', value: null })), /outputs/],
    ['an output of another key', changed((answer) => void (answer.outputs[0]!.key = 'city')), /outputs/],
    ['an output of another type', changed((answer) => void Object.assign(answer.outputs[0]!, { type: 'number', value: 1 })), /outputs/],
  ])('does not match its plugin field with %s', (_what, text, reason) => {
    expect(pluginAnswerFault(plugin, text)).toMatch(reason);
  });

  it.each<[ValueType, unknown, boolean]>([
    ['number', 1, true],
    ['number', '1', false],
    ['text', '1', true],
    ['text', 1, false],
    ['boolean', false, true],
    ['boolean', 0, false],
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date', 'soon', false],
    ['number', null, true],
    ['date', null, true],
  ])('accepts for type %s the value %j: %s', (type, value, verdict) => {
    expect(fits(type, value as never)).toBe(verdict);
  });

  it('is never read from arbitrary text, and reading never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.jsonValue()), (value) => {
        expect(readPluginAnswer(value)).toBeNull();
      }),
    );
  });

  it('keeps every pick, value and output', () => {
    const label = fc.string({ maxLength: 20 });
    const year = fc.double({ noNaN: true, noDefaultInfinity: true });
    const given = fc.record({ id: label, label, seat: label, listed: fc.boolean(), year });
    fc.assert(
      fc.property(given, ({ id, label, seat, listed, year }) => {
        const given = { picks: { company: { id, label } }, values: { year }, outputs: { seat, listed } };
        const answer = readPluginAnswer(writePluginAnswer(plugin, given))!;
        expect(answer.blocks[0]!.pick).toEqual({ id, label });
        expect(answer.blocks[1]!.value).toBe(year + 0);
        expect(answer.outputs.map(({ value }) => value)).toEqual([seat, listed]);
      }),
    );
  });
});
