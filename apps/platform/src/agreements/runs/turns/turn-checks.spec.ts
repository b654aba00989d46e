import type { FlowDefinition } from '@codase/contracts';
import type { PartyRow, RunRow } from '../run-row.ts';
import { checkTurn, type Turn } from './turn-checks.ts';

const field = (slug: string, type = 'text') => ({ kind: 'field' as const, slug, label: slug, type, required: false });
const DEFINITION: FlowDefinition = {
  entry: 'a',
  output_mode: 'data_only',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    { key: 'a', party: 'customer', title: 'A', elements: [field('name'), field('scan', 'document')] },
    { key: 'b', party: 'company', title: 'B', elements: [] },
  ],
  edges: [{ from: 'a', to: 'b' }],
  constants: [],
};
const party = (party_key: string, user_id: string, connection_id: string | null): PartyRow => ({
  run_id: 'run_1',
  position: 0,
  party_key,
  user_id,
  connection_id,
  customer_type: connection_id === null ? null : 'person',
  share_code: null,
  public_key: null,
});
const answer = { slug: 'name', source_private: false, verification: {}, values: [copy('acme'), copy('ana')] };
function copy(for_user_id: string, value = '{"_enc":1}') {
  return { for_user_id, value: value as never };
}
const turn = (change: Partial<Turn> = {}): Turn => ({
  run: { run_id: 'run_1', status: 'awaiting_customer', current_node: 'a', private_slugs: [] } as unknown as RunRow,
  parties: [party('company', 'acme', null), party('customer', 'ana', 'conn_1')],
  definition: DEFINITION,
  by: { user_id: 'ana', connection_id: 'conn_1' },
  answers: [answer],
  next_node: 'b',
  hasDeletedParty: false,
  isBinary: (type) => type === 'document',
  files: new Map([['file_1', { slug: 'scan', for_user_id: 'ana' }]]),
  ...change,
});
const keyOf = (change: Partial<Turn>) => {
  try {
    return checkTurn(turn(change)).party_key;
  } catch (error) {
    return (error as { key: string }).key;
  }
};

describe('checkTurn @spec D2-7', () => {
  it('accepts a valid turn', () => {
    expect(keyOf({})).toBe('customer');
  });

  it.each<[string, Partial<Turn>]>([
    ['account.counterparty_deleted', { hasDeletedParty: true, run: { ...turn().run, status: 'cancelled' } }],
    ['flows.run_not_awaiting', { run: { ...turn().run, status: 'generating' }, answers: [] }],
    ['flows.run_not_awaiting', { run: { ...turn().run, status: 'awaiting_signature' } }],
    ['flows.not_your_turn', { by: { user_id: 'acme', connection_id: null }, answers: [{ ...answer, values: [] }] }],
    ['flows.not_your_turn', { by: { user_id: 'ana', connection_id: 'conn_2' } }],
    ['flows.answer_party_missing', { answers: [{ ...answer, slug: 'nothing', values: [copy('acme')] }] }],
    ['flows.answer_invalid', { answers: [{ ...answer, slug: 'nothing', values: [...answer.values, copy('bolt')] }] }],
    ['flows.answer_party_invalid', { answers: [{ ...answer, values: [...answer.values, copy('bolt')] }], next_node: 'a' }],
    ['flows.answer_party_invalid', { answers: [{ ...answer, values: [...answer.values, copy('ana')] }] }],
    ['contact_data.encryption_required', { answers: [{ ...answer, values: [copy('acme', '{"_enc_file":"file_1"}'), copy('ana')] }] }],
    ['flows.answer_invalid', { answers: [{ ...answer, slug: 'scan' }] }],
    [
      'flows.answer_invalid',
      { answers: [{ ...answer, slug: 'scan', values: [copy('acme', '{"_enc_file":"file_1"}'), copy('ana', '{"_enc_file":"file_1"}')] }] },
    ],
    ['flows.next_node_invalid', { next_node: 'a' }],
    ['flows.next_node_invalid', { next_node: undefined, leaf: true }],
  ])('refuses a turn with the key of the first failing check: %s', (key, change) => {
    expect(keyOf(change)).toBe(key);
  });
});
