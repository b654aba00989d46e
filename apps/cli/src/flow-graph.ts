import type { Condition, Run, TurnSummary } from '@codase/contracts';

/** Returns a run as text: its steps in the order of the graph, the present step, who blocks it, and where each step leads. */
export function drawRun(run: Run, turn: TurnSummary | undefined): string {
  const { definition, current_node } = run;
  const answered = new Set(run.answers.map(({ slug }) => slug));
  const nodes = inOrder(run).map((key) => definition.nodes.find((node) => node.key === key)!);
  const width = Math.max(...nodes.map(({ key }) => key.length));
  const lines = nodes.flatMap((node) => {
    const isAnswered = node.elements.some((element) => 'slug' in element && answered.has(element.slug));
    const mark = node.key === current_node ? '>' : isAnswered ? 'x' : ' ';
    const step = `${mark} ${node.key.padEnd(width)}  ${node.party}: ${printable(node.title)}`;
    const ways = definition.edges.filter(({ from }) => from === node.key);
    return [step, ...ways.map(({ to, when }) => `${' '.repeat(width + 4)}-> ${to}${when ? ` when ${conditionText(when)}` : ''}`)];
  });
  return [`${run.id} of ${run.flow_id}, version ${run.flow_version}: ${run.status}`, ...lines, blockedBy(run, turn)]
    .filter(Boolean)
    .join('\n');
}

/** Returns the keys of the nodes from the entry on, nearest first. Nodes that no edge leads to come last. */
function inOrder({ definition: { entry, nodes, edges } }: Run): string[] {
  const known = new Set(nodes.map(({ key }) => key));
  const order = new Set([entry].filter((key) => known.has(key)));
  for (const key of order) for (const { from, to } of edges) if (from === key && known.has(to)) order.add(to);
  return [...order, ...nodes.map(({ key }) => key).filter((key) => !order.has(key))];
}

/** Returns a sentence that says for whom the run waits. */
function blockedBy(run: Run, turn: TurnSummary | undefined): string {
  if (run.status === 'awaiting_signature') return signedNext(run);
  const node = run.definition.nodes.find(({ key }) => key === run.current_node);
  if (!node) return '';
  const user = run.bindings[node.party];
  const what = run.status === 'generating' ? ', who has the documents generated' : '';
  if (user !== run.company_user_id) return `It waits for ${node.party} (${user ?? 'nobody'})${what}.`;
  if (!turn) return `It waits for the company${what}.`;
  const by = turn.held_by === null ? '' : ` by ${printable(turn.held_by)} until ${turn.held_until}`;
  const why = turn.error_key === null ? '' : `, because of ${turn.error_key}`;
  return `It waits for the company since ${turn.since}: ${turn.state}${by}${why}.`;
}

/** Returns a sentence that says whose copy of a document is open now. */
function signedNext({ participants, company_user_id }: Run): string {
  const copies = participants.flatMap(({ party_key, person_user_id, documents }) =>
    documents.map((document) => ({ ...document, party_key, person_user_id })),
  );
  const open = copies.find(({ document_status }) => document_status === 'ready_to_sign' || document_status === 'offering');
  if (!open) return '';
  const who = open.person_user_id === company_user_id ? 'the company' : `${open.party_key} (${open.person_user_id})`;
  return `It waits for ${who} to ${open.document_status === 'offering' ? 'accept' : 'sign'} ${printable(open.output_key)}.`;
}

export function conditionText(condition: Condition): string {
  if ('and' in condition) return joined(condition.and, 'and');
  if ('or' in condition) return joined(condition.or, 'or');
  if ('not' in condition) return `not (${conditionText(condition.not)})`;
  const { field, op, value } = condition;
  return value === undefined ? `${field} ${op}` : `${field} ${op} ${printable(JSON.stringify(value))}`;
}

const joined = (conditions: readonly Condition[], word: string): string =>
  conditions.map((one) => `(${conditionText(one)})`).join(` ${word} `);

/** Replaces control characters: texts of a definition come from other people, and must not control the terminal. */
// oxlint-disable-next-line no-control-regex -- control characters are what is taken out
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
