import type { Where } from '../definition/finding.ts';
import { checkTable, field, findingTexts, type Change } from './findings.check.ts';

describe('the publishing check of parties, nodes and edges @spec D2-1 @spec D2-2.1', () => {
  checkTable<'flows.definition_invalid'>({
    'flows.definition_invalid': {
      raised: [
        ['an entry that is no node', (d) => void (d.entry = 'nowhere')],
        ['an edge to nowhere', (d) => void (d.edges[0]!.to = 'nowhere')],
        ['an edge from nowhere', (d) => void (d.edges[3]!.from = 'nowhere')],
        ['a circle of nodes', (d) => void d.edges.push({ from: 'office_data', to: 'tenant_data' })],
        ['a node that leads to itself', (d) => void d.edges.push({ from: 'offer', to: 'offer' })],
        ['a node of an unknown party', (d) => void (d.nodes[0]!.party = 'nobody')],
        ['two nodes of one key', (d) => void d.nodes.push({ key: 'offer', party: 'tenant', title: '', elements: [] })],
        ['two parties of one key', (d) => void d.parties.push({ key: 'tenant', label: 'Another' })],
        ['a party named like the state of a run', (d) => void d.parties.push({ key: 'signature', label: 'Another' })],
        ['two owners', (d) => void d.parties.push({ key: 'second', label: 'Another', type: 'owner' })],
        ['two elements of one slug', field('office_data', 'rent', 'text')],
        ['a plugin named like a party', (d) => void d.parties.push({ key: 'firm', label: 'Firm', type: 'company' })],
      ],
      quiet: [
        ['two edges that meet again', (d) => void d.edges.push({ from: 'offer', to: 'done' })],
        ['a field named like a party', field('offer', 'tenant', 'text')],
        ['a party named almost like it', (d) => void d.parties.push({ key: 'signatures', label: 'Another' })],
        ['a third party', (d) => void d.parties.push({ key: 'guarantor', label: 'Guarantor' })],
      ],
    },
  });

  it.each<[what: string, change: Change, where: Where, message: RegExp]>([
    ['a circle', (d) => void d.edges.push({ from: 'office_data', to: 'tenant_data' }), { node: 'office_data' }, /office_data, tenant_data/],
    ["a node's party", (d) => void (d.nodes[0]!.party = 'nobody'), { node: 'offer' }, /offer belongs to the party nobody/],
    ["a node's key", (d) => void d.nodes.push({ ...d.nodes[3]!, elements: [] }), { node: 'done' }, /the key done/],
    ['a slug', field('office_data', 'rent', 'text'), { node: 'office_data', element: 'rent' }, /the slug rent/],
    ["a plugin's slug", (d) => void d.parties.push({ key: 'firm', label: '' }), { node: 'office_data', element: 'firm' }, /^firm names/],
    ['an edge', (d) => void (d.edges[0]!.to = 'nowhere'), { node: 'offer', edge: 0 }, /from offer to nowhere/],
    ['two parties', (d) => void d.parties.push({ key: 'tenant', label: '' }), { party: 'tenant' }, /the key tenant/],
    ['a second owner', (d) => void d.parties.push({ key: 'b', label: '', type: 'owner' }), { party: 'b' }, /Only one/],
    ['the entry', (d) => void (d.entry = 'nowhere'), {}, /entry nowhere/],
  ])('reports the position of %s', (_what, change, where, message) => {
    expect(findingTexts(change)).toEqual([[where, expect.stringMatching(message)]]);
  });
});
