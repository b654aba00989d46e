import { constant, rentalFlow, lit, nodeOf, today } from '../rental-flow.check.ts';
import { questionsOf, shownConstants, shownElements, unanswered } from './shown.ts';

const flow = rentalFlow((d) =>
  d.constants.push(constant('now', 'date', today, ['offer', 'tenant_data']), constant('yes', 'boolean', lit(true), ['tenant_data']), {
    ...constant('blank', 'text', lit(''), ['tenant_data']),
    label: '',
  }),
);
const node = nodeOf(flow.definition, 'tenant_data');
const values = (answers: Record<string, unknown>) => flow.values(answers, '2026-03-01');

describe('what a step shows @spec D2-2.6', () => {
  it('are the elements whose show_if holds', () => {
    const slugs = (answers: Record<string, unknown>) => questionsOf(flow, node, values(answers)).map(({ slug }) => slug);
    expect(slugs({ rent: '1200' })).toEqual(['name', 'born', 'keeps', 'income', 'home', 'reference', 'id_card']);
    expect(slugs({ rent: '800' })).toEqual(['name', 'born', 'keeps', 'home', 'reference', 'id_card']);
    expect(shownElements(flow, node, values({}))[0]).toMatchObject({ kind: 'text' });
  });

  it('lacks the required answers that are empty and shown', () => {
    const required = rentalFlow((d) => d.nodes[1]!.elements.forEach((element) => 'slug' in element && (element.required = true)));
    const lacking = (answers: Record<string, unknown>) => unanswered(required, nodeOf(required.definition, 'tenant_data'), values(answers));
    expect(lacking({ rent: '800', name: 'Ada', born: '', keeps: [], home: {} })).toEqual(['born', 'keeps', 'home', 'reference', 'id_card']);
    const most = { name: ' ', born: 'x', keeps: ['cat'], home: { city: 'x' }, reference: 'f', id_card: 'f' };
    expect(lacking({ rent: '1200', ...most })).toEqual(['income']);
  });

  it('asks for the plugin as well', () => {
    expect(unanswered(flow, nodeOf(flow.definition, 'office_data'), values({}))).toEqual(['firm']);
  });
});

describe('constants on a step @spec D2-7', () => {
  it('are plain text under their label, pending while null', () => {
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
