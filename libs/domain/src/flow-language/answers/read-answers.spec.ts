import type { Kind } from '../definition/kinds.ts';
import { elementOf, rental } from '../rental-flow.check.ts';
import { compileReading } from './read-answers.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';

const { plugin } = elementOf(rental(), 'firm', 'plugin');
const acme = { company: { id: '7', label: 'Acme' } };
const firm = writePluginAnswer(plugin, { picks: acme, values: { year: 1999 }, outputs: { seat: 'Graz' } });
const expand = (answers: Record<string, unknown>, kinds: Record<string, Kind>) => compileReading(new Map(Object.entries(kinds)))(answers);

describe('making answers readable by key @spec D2-2.5.4', () => {
  it('gives a plugin answer its dotted keys and keeps it as held', () => {
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

  it('has null for a pick not made yet', () => {
    const open = writePluginAnswer(plugin, { picks: {}, values: {}, outputs: {} });
    expect(expand({ firm: open }, { firm: 'plugin' })).toMatchObject({ 'firm.company': null, 'firm.company.id': null, 'firm.year': null });
  });

  it('lets an output win over a block of the same key @gap D2-2.6', () => {
    const snapshot = { ...plugin.snapshot, outputs: [{ key: 'company', type: 'text' as const, label: '' }] };
    const both = writePluginAnswer({ ...plugin, snapshot }, { picks: acme, values: {}, outputs: { company: 'Acme Ltd' } });
    expect(expand({ firm: both }, { firm: 'plugin' })).toMatchObject({ 'firm.company': 'Acme Ltd', 'firm.company.id': '7' });
  });

  it('leaves alone what is no plugin answer', () => {
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

  it('takes no dotted key from anybody else', () => {
    const open = writePluginAnswer(plugin, { picks: {}, values: {}, outputs: {} });
    expect(expand({ 'firm.seat': 'forged', name: 'Ada' }, { firm: 'plugin' })).toEqual({ name: 'Ada' });
    expect(expand({ firm: open, 'firm.seat': 'forged' }, { firm: 'plugin' })).toMatchObject({ 'firm.seat': null });
  });

  it('parses the kinds whose plaintext is JSON, and no other', () => {
    const answers = { keeps: '["cat"]', home: '{"city":"Graz"}', scan: '{"_enc_file":"f"}', name: '["x"]', rent: '5', odd: '[' };
    const kinds = { keeps: 'multichoice', home: 'composite', scan: 'binary', name: 'text', rent: 'number', odd: 'multichoice' } as const;
    expect(expand(answers, kinds)).toEqual({ ...answers, keeps: ['cat'], home: { city: 'Graz' }, scan: { _enc_file: 'f' } });
    expect(expand({ keeps: ['cat'] }, kinds)).toEqual({ keeps: ['cat'] });
  });
});
