import type { Run, TurnSummary } from '@codase/contracts';
import { conditionText, drawRun } from './flow-graph.ts';

const run = {
  id: 'run_1',
  flow_id: 'flow_1',
  flow_version: 3,
  status: 'awaiting_company',
  current_node: 'price',
  company_user_id: 'usr_acme',
  bindings: { company: 'usr_acme', customer: 'usr_ana' },
  answers: [{ slug: 'quantity', for_user_id: 'usr_acme', value: 'sealed' }],
  definition: {
    entry: 'ask',
    nodes: [
      { key: 'done', party: 'customer', title: 'Done\u001b[2J', elements: [] },
      { key: 'price', party: 'company', title: 'Price', elements: [] },
      { key: 'ask', party: 'customer', title: 'Order', elements: [{ kind: 'field', slug: 'quantity' }] },
    ],
    edges: [
      { from: 'ask', to: 'price' },
      { from: 'price', to: 'done', when: { field: 'total', op: 'lt', value: 1000 } },
    ],
  },
} as unknown as Run;
const turn = { since: '2026-03-02T10:00:00Z', state: 'open', held_by: null, held_until: null, error_key: null } as TurnSummary;

describe('drawing of a flow run', () => {
  it('shows the steps from the entry on, with marks, edges and the party that the run waits for', () => {
    expect(drawRun(run, turn).split('\n')).toEqual([
      'run_1 of flow_1, version 3: awaiting_company',
      'x ask    customer: Order',
      '         -> price',
      '> price  company: Price',
      '         -> done when total lt 1000',
      '  done   customer: Done [2J',
      'It waits for the company since 2026-03-02T10:00:00Z: open.',
    ]);
  });

  it('says who has the turn, and why a turn is parked', () => {
    const last = (of: Run, its?: TurnSummary) => drawRun(of, its).split('\n').at(-1);
    expect(last(run)).toBe('It waits for the company.');
    expect(last(run, { ...turn, state: 'taken', held_by: 'Eva', held_until: '2026-03-02T11:00:00Z' })).toMatch(
      /taken by Eva until 2026-03-02T11:00:00Z\.$/,
    );
    expect(last(run, { ...turn, state: 'parked', error_key: 'decryptor.unreadable' })).toMatch(
      /parked, because of decryptor\.unreadable\.$/,
    );
    expect(last({ ...run, current_node: 'done' })).toBe('It waits for customer (usr_ana).');
    expect(last({ ...run, status: 'completed', current_node: null })).toMatch(/^ {2}done/);
  });

  it('says who generates the documents, and who signs them next', () => {
    const last = (change: object, its?: TurnSummary) =>
      drawRun({ ...run, ...change } as Run, its)
        .split('\n')
        .at(-1);
    const signing = (party_key: string, person_user_id: string, document_status: string) => ({
      party_key,
      person_user_id,
      documents: [{ output_key: 'lease', document_status }],
    });
    const awaits = (...participants: object[]) => last({ status: 'awaiting_signature', participants });

    expect(last({ status: 'generating' })).toBe('It waits for the company, who has the documents generated.');
    expect(last({ status: 'generating' }, { ...turn, state: 'parked', error_key: 'flows.generation_failed' })).toBe(
      'It waits for the company since 2026-03-02T10:00:00Z: parked, because of flows.generation_failed.',
    );
    expect(last({ status: 'generating', current_node: 'done' })).toBe('It waits for customer (usr_ana), who has the documents generated.');
    expect(awaits(signing('company', 'usr_acme', 'waiting'), signing('customer', 'usr_ana', 'offering'))).toBe(
      'It waits for customer (usr_ana) to accept lease.',
    );
    expect(awaits(signing('company', 'usr_acme', 'ready_to_sign'))).toBe('It waits for the company to sign lease.');
  });

  it('prints conditions as text', () => {
    const small = { field: 'total', op: 'lt' as const, value: 10 };
    expect(conditionText({ and: [small, { or: [{ not: small }, { field: 'name', op: 'is_empty' }] }] })).toBe(
      '(total lt 10) and ((not (total lt 10)) or (name is_empty))',
    );
  });
});
