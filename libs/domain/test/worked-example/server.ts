import {
  bindTargets,
  chooseOutputs,
  availableSources,
  prepareTurn,
  signingLine,
  type Answers,
  type Flow,
} from '@codase/domain/flow-language';

/** Binds the parties at the start of a run: which user plays which party. */
export function bindParties(flow: Flow, connection_id: string) {
  const customers = new Map([['conn_7', { user_id: 'user_ana', type: 'person' as const }]]);
  const start = { company_user_id: 'user_acme', target: { connection_id } };
  const bound = bindTargets(flow.definition.parties, start, (id) => customers.get(id));
  return bound.ok ? bound.bindings : bound.fault.key;
}

/**
 * Returns what the company submits in its turn, before it is sealed for every party. `opened` are the run's answers, opened, in the form in
 * which they were sent.
 */
export function confirmOrder(flow: Flow, opened: Answers, order_number: string) {
  const drafts = { order_number: { value: order_number } };
  const turn = prepareTurn(flow, { node: 'confirm', answers: opened, drafts, reference_date: '2026-03-01', private_slugs: [] });
  if (!turn.ready) throw new Error(`not ready: ${JSON.stringify(turn)}`);
  return turn; // turn.signal says that this is a document leaf: generate next
}

/** The documents of the leaf: which rule made each, and who signs when. */
export function documentsOf(flow: Flow, opened: Answers, language: string) {
  const leaf = flow.node('confirm')!;
  const available = new Set(availableSources(leaf, { answers: opened, source_files: {} }));
  const outputs = chooseOutputs(flow, leaf, { values: flow.values(opened, '2026-03-01'), language, available });
  const line = signingLine(outputs, ['company', 'customer']);
  return {
    rules: outputs.map(({ output_key, rule }) => `${output_key} by rule ${rule}`),
    line: line.map(({ position, party, action }) => `${position}. ${party}: ${action}`),
  };
}
