import type { RunSignal } from '../../states/run-status.ts';
import type { Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';

/** How a step goes on: to a node, to an end, or not at all. */
export type Next = { next_node: string } | { leaf: true } | { stuck: true };

/**
 * The first edge that matches, in list order; a node without edges is a leaf. Edges see the answers of their own node, and a step
 * none of whose edges matches cannot continue. @spec D2-1 @spec D2-4.2 @gap D2-4.2
 */
export function nextNode(flow: Flow, node: string, values: Values): Next {
  const edges = flow.definition.edges.filter(({ from }) => from === node);
  if (edges.length === 0) return { leaf: true };
  const edge = edges.find(({ when }) => flow.holds(when, values));
  return edge ? { next_node: edge.to } : { stuck: true };
}

/**
 * What ends at a leaf: the run itself, or the questions, with documents to be made of the answers. They are signals of a run's state table.
 */
export type LeafKind = Extract<RunSignal, 'data leaf' | 'document leaf'>;

/**
 * Which leaf a node is; null when the flow goes on from it. At a document leaf the party that answered last generates. @spec D2-3
 * @spec D2-1
 */
export function leafKind({ definition: { edges, output_mode } }: Flow, node: string): LeafKind | null {
  if (edges.some(({ from }) => from === node)) return null;
  return output_mode === 'document' ? 'document leaf' : 'data leaf';
}
