import type { RunSignal } from '../../states/run-status.ts';
import type { Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';

/** How a run continues after a step: at a node, at an end, or not at all. */
export type Next = { next_node: string } | { leaf: true } | { stuck: true };

/**
 * Returns where the first matching edge leads, in list order. A node without edges is a leaf. Edges read the answers of their own node too.
 * A step without a matching edge cannot continue. @spec D2-1 @spec D2-4.2 @gap D2-4.2
 */
export function nextNode(flow: Flow, node: string, values: Values): Next {
  const edges = flow.definition.edges.filter(({ from }) => from === node);
  if (edges.length === 0) return { leaf: true };
  const edge = edges.find(({ when }) => flow.holds(when, values));
  return edge ? { next_node: edge.to } : { stuck: true };
}

/** What ends at a leaf: the run, or only the questions, so that documents are made. Signals of the state table of runs. */
export type LeafKind = Extract<RunSignal, 'data leaf' | 'document leaf'>;

/** Returns which kind of leaf a node is, null when the flow continues. Who answered last generates documents. @spec D2-3 @spec D2-1 */
export function leafKind({ definition: { edges, output_mode } }: Flow, node: string): LeafKind | null {
  if (edges.some(({ from }) => from === node)) return null;
  return output_mode === 'document' ? 'document leaf' : 'data leaf';
}
