import type { Definition } from '../definition/definition.ts';
import { nodeOf, rental } from '../rental-flow.check.ts';
import { all, checkTable, found, putElement, rule, set, when, type Family } from './findings.check.ts';

/** The index of the next element of the step. */
const AT_OFFER = nodeOf(rental(), 'offer').elements.length;

describe('the publishing check of conditions @spec D2-7', () => {
  checkTable<Family<'condition'>>({
    'condition.ref_unknown': {
      raised: [
        ['an edge', when(0, { and: [{ field: 'nothing', op: 'is_empty' }] })],
        ['a show_if', set('name', { show_if: { or: [{ not: { field: 'nothing', op: 'is_empty' } }] } })],
        ['a show_if of a text', putElement('offer', { kind: 'text', text: 'x', show_if: { field: 'nothing', op: 'is_empty' } })],
        ['a rule', rule({ when: { field: 'firm.nothing', op: 'is_empty' } })],
      ],
      quiet: [['a dotted key', rule({ when: { field: 'firm.listed', op: 'eq', value: true } })]],
    },
    'condition.ref_not_answerable': {
      raised: [
        ['an edge that asks too early', when(0, { field: 'name', op: 'is_empty' })],
        ['a show_if that asks too early', set('rent', { show_if: { field: 'firm.seat', op: 'is_empty' } })],
      ],
      quiet: [['an edge that asks on the very step', when(0, { field: 'rent', op: 'is_not_empty' })]],
    },
  });

  it.each([
    ['an edge', when(0, { field: 'age', op: 'gt', value: 1 }), { node: 'offer', edge: 0, constant: 'age' }],
    ['a show_if', set('name', { show_if: { field: 'nothing', op: 'is_empty' } }), { node: 'tenant_data', element: 'name' }],
    [
      'a show_if of a text',
      putElement('offer', { kind: 'text', text: '', show_if: { field: 'no', op: 'is_empty' } }),
      { node: 'offer', index: AT_OFFER },
    ],
    ['a rule', rule({ when: { field: 'nothing', op: 'is_empty' } }), { node: 'done', output: 'annex', rule: 0 }],
  ])('reports the position of %s', (_what, change, where) => {
    expect(found(change).map((finding) => finding.where)).toEqual([where]);
  });

  it('counts positions of edges and elements including unreadable ones', () => {
    const unreadable = (d: Definition) => {
      d.edges.unshift('no edge' as never);
      nodeOf(d, 'offer').elements.unshift({ kind: 'text' } as never);
    };
    const asks = { field: 'nothing', op: 'is_empty' } as const;
    const change = all(when(0, asks), putElement('offer', { kind: 'text', text: '', show_if: asks }), unreadable);
    const locations = found(change).flatMap(({ key, where }) => (key === 'condition.ref_unknown' ? [where] : []));
    expect(locations).toEqual([
      { node: 'offer', edge: 1 },
      { node: 'offer', index: AT_OFFER + 1 },
    ]);
  });

  it.each([
    [when(0, { field: 'no', op: 'is_empty' }), 'On offer, the edge to tenant_data asks for no, which is no slug and no constant'],
    [when(0, { field: 'name', op: 'is_empty' }), 'On offer, the edge to tenant_data asks for name, which nobody can have answered by then'],
    [
      when(0, { field: 'age', op: 'gt', value: 1 }),
      'On offer, the edge to tenant_data asks for age, a constant that reads answers given later or elsewhere',
    ],
    [set('name', { show_if: { field: 'no', op: 'is_empty' } }), 'On tenant_data, show_if asks for no, which is no slug and no constant'],
    [rule({ when: { field: 'no', op: 'is_empty' } }), 'On done, the rule asks for no, which is no slug and no constant'],
  ])('reports a message that explains the fault: %#', (change, message) => {
    expect(found(change).map((finding) => finding.message)).toEqual([message]);
  });
});
