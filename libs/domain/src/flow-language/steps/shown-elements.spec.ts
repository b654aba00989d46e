import type { PluginUse } from '../definition/definition.ts';
import { writePluginAnswer, type PluginGiven } from '../plugins/plugin-answer.ts';
import { constant, elementOf, rentalFlow, lit, nodeOf, today } from '../rental-flow.check.ts';
import { questionsOf, shownConstants, shownElements, unanswered } from './shown-elements.ts';

const flow = rentalFlow((d) =>
  d.constants.push(constant('now', 'date', today, ['offer', 'tenant_data']), constant('yes', 'boolean', lit(true), ['tenant_data']), {
    ...constant('blank', 'text', lit(''), ['tenant_data']),
    label: '',
  }),
);
const node = nodeOf(flow.definition, 'tenant_data');
const values = (answers: Record<string, unknown>) => flow.values(answers, '2026-03-01');

describe('the elements of a step @spec D2-2.6', () => {
  it('are shown when their show_if holds', () => {
    const slugs = (answers: Record<string, unknown>) => questionsOf(flow, node, values(answers)).map(({ slug }) => slug);
    expect(slugs({ rent: '1200' })).toEqual(['name', 'born', 'keeps', 'income', 'home', 'reference', 'id_card']);
    expect(slugs({ rent: '800' })).toEqual(['name', 'born', 'keeps', 'home', 'reference', 'id_card']);
    expect(shownElements(flow, node, values({}))[0]).toMatchObject({ kind: 'text' });
  });

  it('are listed as unanswered when they are required, shown and empty', () => {
    const required = rentalFlow((d) => d.nodes[1]!.elements.forEach((element) => 'required' in element && (element.required = true)));
    const lacking = (answers: Record<string, unknown>) => unanswered(required, nodeOf(required.definition, 'tenant_data'), values(answers));
    expect(lacking({ rent: '800', name: 'Ada', born: '', keeps: [], home: {} })).toEqual(['born', 'keeps', 'home', 'reference', 'id_card']);
    const most = { name: ' ', born: 'x', keeps: ['cat'], home: { city: 'x' }, reference: 'f', id_card: 'f' };
    expect(lacking({ rent: '1200', ...most })).toEqual(['income']);
    const travelling = { name: 'Ada', born: 'x', keeps: '[]', home: 'null', reference: '{}', id_card: '{"_enc_file":"f"}' };
    expect(lacking({ rent: '800', ...travelling })).toEqual(['keeps', 'home', 'reference']);
  });

  it('are listed as unanswered for a plugin field without an answer', () => {
    expect(unanswered(flow, nodeOf(flow.definition, 'office_data'), values({}))).toEqual(['firm']);
  });

  it('include a plugin field as unanswered until all of its blocks have a pick or value @gap D2-2.6', () => {
    const { plugin } = elementOf(flow.definition, 'firm', 'plugin');
    const acme = { id: '7', label: 'Acme' };
    const lacking = (use: PluginUse, given: Partial<PluginGiven>) => {
      const firm = writePluginAnswer(use, { picks: {}, values: {}, outputs: {}, ...given });
      return unanswered(flow, nodeOf(flow.definition, 'office_data'), values({ firm }));
    };
    expect(lacking(plugin, {})).toEqual(['firm']);
    expect(lacking(plugin, { values: { year: 1999 }, outputs: { seat: 'Graz' } })).toEqual(['firm']);
    expect(lacking(plugin, { picks: { company: acme } })).toEqual([]);

    const blocks = [...plugin.snapshot.blocks, { key: 'branch', kind: 'search_select' as const, label: 'Branch' }];
    const two = { ...plugin, snapshot: { ...plugin.snapshot, blocks } };
    expect(lacking(two, { picks: { company: acme } })).toEqual(['firm']);
    expect(lacking(two, { picks: { company: acme, branch: acme } })).toEqual([]);

    const typed = { ...plugin, snapshot: { ...plugin.snapshot, blocks: blocks.slice(1, 2) } };
    expect(lacking(typed, {})).toEqual(['firm']);
    expect(lacking(typed, { values: { year: 1999 } })).toEqual([]);
    expect(unanswered(flow, nodeOf(flow.definition, 'office_data'), values({ firm: 'Acme' }))).toEqual(['firm']);
  });
});

describe('the constants shown on a step @spec D2-7', () => {
  it('are plain text with their label, and null while they cannot be computed', () => {
    expect(shownConstants(flow, 'tenant_data', values({}))).toEqual([
      { key: 'age', label: 'Your age', value: null },
      { key: 'now', label: 'now', value: '2026-03-01' },
      { key: 'yes', label: 'yes', value: 'true' },
      { key: 'blank', label: 'blank', value: '' },
    ]);
    expect(shownConstants(flow, 'tenant_data', values({ born: '2000-01-01', starts: '2026-04-01' }))[0]).toMatchObject({ value: '26' });
    expect(shownConstants(flow, 'offer', values({})).map(({ key }) => key)).toEqual(['now']);
    expect(shownConstants(flow, 'done', values({}))).toEqual([]);
  });
});
