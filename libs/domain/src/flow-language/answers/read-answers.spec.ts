import type { Kind } from '../definition/kinds.ts';
import { elementOf, rental } from '../rental-flow.check.ts';
import { compileReading } from './read-answers.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';

const { plugin } = elementOf(rental(), 'firm', 'plugin');
const acme = { company: { id: '7', label: 'Acme' } };
const firm = writePluginAnswer(plugin, { picks: acme, values: { year: 1999 }, outputs: { seat: 'Graz' } });
const expand = (answers: Record<string, unknown>, kinds: Record<string, Kind>) => compileReading(new Map(Object.entries(kinds)))(answers);

describe('expanding answers into values by key @spec D2-2.5.4', () => {
  it('adds the dotted keys of a plugin answer and keeps the answer itself', () => {
    expect(expand({ firm, name: 'Ada' }, { firm: 'plugin', name: 'text' })).toEqual({
      firm,
      name: 'Ada',
      'firm.company': 'Acme',
      'firm.company.id': '7',
      'firm.year': 1999,
      'firm.seat': 'Graz',
      'firm.listed': null,
    });
  });

  it('uses null for a pick that has not been made', () => {
    const open = writePluginAnswer(plugin, { picks: {}, values: {}, outputs: {} });
    expect(expand({ firm: open }, { firm: 'plugin' })).toMatchObject({ 'firm.company': null, 'firm.company.id': null, 'firm.year': null });
  });

  it('prefers an output over a block with the same key @gap D2-2.6', () => {
    const snapshot = { ...plugin.snapshot, outputs: [{ key: 'company', type: 'text' as const, label: '' }] };
    const both = writePluginAnswer({ ...plugin, snapshot }, { picks: acme, values: {}, outputs: { company: 'Acme Ltd' } });
    expect(expand({ firm: both }, { firm: 'plugin' })).toMatchObject({ 'firm.company': 'Acme Ltd', 'firm.company.id': '7' });
  });

  it('leaves a value unchanged when it is not a plugin answer', () => {
    expect(expand({ firm: 'x' }, { firm: 'plugin' })).toEqual({ firm: 'x' });
    expect(expand({ firm: 5 }, { firm: 'plugin' })).toEqual({ firm: 5 });
    expect(
      compileReading(
        new Map([
          ['firm', 'plugin'],
          ['constructor', 'plugin'],
          ['toString', 'multichoice'],
        ]),
      )({}),
    ).toEqual({});
  });

  it('drops dotted keys that do not come from a plugin answer', () => {
    const open = writePluginAnswer(plugin, { picks: {}, values: {}, outputs: {} });
    expect(expand({ 'firm.seat': 'forged', name: 'Ada' }, { firm: 'plugin' })).toEqual({ name: 'Ada' });
    expect(expand({ firm: open, 'firm.seat': 'forged' }, { firm: 'plugin' })).toMatchObject({ 'firm.seat': null });
  });

  it('parses JSON only for kinds whose plaintext is JSON', () => {
    const answers = { keeps: '["cat"]', home: '{"city":"Graz"}', scan: '{"_enc_file":"f"}', name: '["x"]', rent: '5', odd: '[' };
    const kinds = { keeps: 'multichoice', home: 'composite', scan: 'binary', name: 'text', rent: 'number', odd: 'multichoice' } as const;
    expect(expand(answers, kinds)).toEqual({ ...answers, keeps: ['cat'], home: { city: 'Graz' }, scan: { _enc_file: 'f' } });
    expect(expand({ keeps: ['cat'] }, kinds)).toEqual({ keeps: ['cat'] });
  });
});
