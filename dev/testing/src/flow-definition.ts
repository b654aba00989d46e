import type { FlowDefinition } from '@codase/contracts';

/** The company that owns a flow, and the person it plays with. */
const PARTIES: FlowDefinition['parties'] = [
  { key: 'company', label: 'Acme', type: 'owner' },
  { key: 'customer', label: 'Customer', type: 'person' },
];

/** Builds a flow that begins with its first node, is played by `company` and `customer` and ends with data, unless `more` differs. */
export const flowOf = <N extends { key: string }[], M extends object>(nodes: N, edges: FlowDefinition['edges'], more?: M) => ({
  entry: nodes[0]!.key,
  output_mode: 'data_only' as const,
  parties: PARTIES,
  nodes,
  edges,
  constants: [],
  ...(more as M),
});

/** Builds the edges of nodes that follow each other. */
export const inOrder = (...keys: string[]): FlowDefinition['edges'] => keys.slice(1).map((to, n) => ({ from: keys[n]!, to }));

export const stepOf = <E extends object, M extends object>(party: string, key: string, title: string, elements: E[], more?: M) => ({
  key,
  party,
  title,
  elements,
  ...(more as M),
});

export const field = <M extends object>(slug: string, type: string, more?: M) => ({
  kind: 'field' as const,
  slug,
  label: slug,
  type,
  required: true,
  ...(more as M),
});
export const optional = <M extends object>(slug: string, type: string, more?: M) => ({ ...field(slug, type, more), required: false });
export const text = (words: string) => ({ kind: 'text' as const, text: words });

export const number = (value: number) => ({ type: 'lit' as const, value_type: 'number' as const, value });
export const ref = (key: string) => ({ type: 'ref' as const, key });
export const math = <A extends object[]>(op: 'add' | 'mul', ...args: A) => ({ type: 'math' as const, op, args: args as A[number][] });
