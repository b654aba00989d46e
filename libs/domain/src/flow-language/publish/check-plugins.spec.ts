import { constant, elementOf, ref, REGISTER } from '../rental-flow.check.ts';
import { add, all, checkTable, found, move, nothing, set, templates, wire, type Family } from './findings.check.ts';

const described = (...types: string[]) => ({ plugins: new Map([['p1', new Map(types.map((type) => [type, REGISTER]))]]) });

describe('the publishing check of plugin fields @spec D2-7 @spec D2-2.6', () => {
  checkTable<Family<'flow_plugin'>>({
    'flow_plugin.unknown': {
      raised: [['a plugin of nobody or of another company', nothing, { plugins: new Map() }]],
      quiet: [
        [
          'one of several plugins',
          nothing,
          {
            plugins: new Map([
              ['p0', null],
              ['p1', new Map([['company', REGISTER]])],
            ]),
          },
        ],
      ],
    },
    'flow_plugin.field_type_unknown': {
      raised: [
        ['a description that could not be fetched', nothing, { plugins: new Map([['p1', null]]) }],
        ['a field type the plugin does not have', nothing, described('person')],
        [
          'a description that never was there',
          (d) => {
            const { plugin } = elementOf(d, 'firm', 'plugin');
            plugin.snapshot = { plugin_name: '', host: '', label: '', blocks: [], inputs: [], outputs: [] };
            d.constants.push(constant('c', 'text', ref('firm.seat')));
          },
          { plugins: new Map([['p1', null]]) },
        ],
      ],
      quiet: [['one of several field types', nothing, described('person', 'company')]],
    },
    'flow_plugin.input_unwired': {
      raised: [['a required input without a wire', wire({ note: 'age' })]],
      quiet: [
        ['an optional input without a wire', wire({ born: 'born' })],
        ['a wire to an input that is no more', wire({ born: 'born', note: 'age', gone: 'nothing' })],
      ],
    },
    'flow_plugin.input_not_answerable': {
      raised: [
        ['a key that does not exist', wire({ born: 'nothing' })],
        ['an optional input wired to nothing', wire({ born: 'born', note: 'nothing' })],
        ['an answer given later', all(move('firm', 'offer'), wire({ born: 'starts', note: 'name' }))],
        ['a constant of an answer given later', all(move('firm', 'offer'), wire({ born: 'starts', note: 'age' }))],
      ],
      quiet: [
        ['an answer of the same step', all(move('name', 'office_data'), wire({ born: 'born', note: 'name' })), templates()],
        ['a constant', all(add(constant('c', 'date', ref('born'))), wire({ born: 'c' }))],
      ],
    },
    'flow_plugin.input_type_mismatch': {
      raised: [
        ['text for a date', wire({ born: 'name' })],
        ['a file for a text @gap D2-7', wire({ born: 'born', note: 'reference' })],
        ['a number for a date', wire({ born: 'rent' })],
        ['a list for a date', wire({ born: 'keeps' })],
        ['a constant of another type', wire({ born: 'age' })],
      ],
      quiet: [
        ['text from a number', wire({ born: 'born', note: 'rent' })],
        ['text from a date', wire({ born: 'born', note: 'born' })],
        ['text from a list', wire({ born: 'born', note: 'keeps' })],
      ],
    },
  });

  it('does not report a type mismatch for an input of unknown type', () => {
    const odd = all(set('name', { type: 'shoe_size' }), wire({ born: 'name' }));
    expect(found(odd).map(({ key }) => key)).toEqual(['flows.definition_invalid']);
  });

  it('uses the current description of the plugin and not the copy in the draft', () => {
    const inputs = [...REGISTER.inputs, { key: 'iban', type: 'text' as const, label: 'IBAN', required: true }];
    const findings = found(nothing, { plugins: new Map([['p1', new Map([['company', { ...REGISTER, inputs }]])]]) });

    expect(findings.map(({ key }) => key)).toEqual(['flow_plugin.input_unwired']);
    expect(findings[0]!.where).toEqual({ node: 'office_data', element: 'firm' });
  });
});
