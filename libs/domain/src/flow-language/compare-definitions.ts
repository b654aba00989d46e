import type { Definition, Edge, Element, FlowNode, OutputDocument } from './definition/definition.ts';
import type { Where } from './definition/finding.ts';

/** One thing in which a definition differs from another. */
export interface Change {
  change: 'added' | 'removed' | 'changed';
  where: Where;
  /** Which member of it is another; null where all of it is new or gone. */
  member: string | null;
  before: unknown;
  after: unknown;
}

/** A part of a definition that is the same part in another one while its key is the same. */
interface Part {
  where: Where;
  /** What it says itself; what has a place of its own is compared there. */
  value: object;
}
type Parts = ReadonlyMap<string, Part>;

/**
 * Everything in which a definition differs from an earlier one, in the order of the parts of the later one, what is gone last. Parts are
 * known by their keys; elements without a slug, edges and rules by their place among their like. @spec D2-9
 */
export function compareDefinitions(before: Definition, after: Definition): Change[] {
  const [old, fresh] = [partsOf(before), partsOf(after)];
  const kept = [...fresh].flatMap(([key, part]) => changesOf(old.get(key), part));
  const gone = [...old].flatMap(([key, { where, value }]): Change[] =>
    fresh.has(key) ? [] : [{ change: 'removed', where, member: null, before: value, after: null }],
  );
  return [...kept, ...gone];
}

function changesOf(before: Part | undefined, { where, value }: Part): Change[] {
  if (!before) return [{ change: 'added', where, member: null, before: null, after: value }];
  const [old, fresh] = [before.value as Record<string, unknown>, value as Record<string, unknown>];
  return [...new Set([...Object.keys(fresh), ...Object.keys(old)])]
    .filter((member) => JSON.stringify(old[member]) !== JSON.stringify(fresh[member]))
    .map((member) => ({ change: 'changed', where, member, before: old[member] ?? null, after: fresh[member] ?? null }));
}

function partsOf({ entry, output_mode, parties, nodes, edges, constants }: Definition): Parts {
  return new Map<string, Part>([
    ['flow', { where: {}, value: { entry, output_mode, order: nodes.map(({ key }) => key) } }],
    ...parties.map((party): [string, Part] => [`party ${party.key}`, { where: { party: party.key }, value: party }]),
    ...nodes.flatMap(partsOfNode),
    ...numbered(
      edges,
      ({ from, to }: Edge) => `edge ${from} ${to}`,
      (value, edge) => ({ where: { node: value.from, edge }, value }),
    ),
    ...constants.map((constant): [string, Part] => [`constant ${constant.key}`, { where: { constant: constant.key }, value: constant }]),
  ]);
}

function partsOfNode({ elements, output, ...node }: FlowNode): [string, Part][] {
  const { key } = node;
  const place = (element: Element, index: number): Where => ({ node: key, ...('slug' in element ? { element: element.slug } : { index }) });
  return [
    [`node ${key}`, { where: { node: key }, value: { ...node, ...(output && { language_party: output.language_party }) } }],
    ...numbered(
      elements,
      (element) => `element ${key} ${'slug' in element ? `slug ${element.slug}` : element.kind}`,
      (value, index) => ({ where: place(value, index), value }),
    ),
    ...(output?.documents ?? []).flatMap((document) => partsOfDocument(key, document)),
  ];
}

function partsOfDocument(node: string, { rules, ...document }: OutputDocument): [string, Part][] {
  const where = { node, output: document.output_key };
  return [
    [`output ${node} ${document.output_key}`, { where, value: document }],
    ...rules.map((value, rule): [string, Part] => [`rule ${node} ${document.output_key} ${rule}`, { where: { ...where, rule }, value }]),
  ];
}

/** Items that may have the same name are told apart by their place among those. */
function numbered<T extends object>(
  items: readonly T[],
  nameOf: (item: T) => string,
  partOf: (item: T, index: number) => Part,
): [string, Part][] {
  const seen = new Map<string, number>();
  return items.map((item, index) => {
    const name = nameOf(item);
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return [`${name} ${nth}`, partOf(item, index)];
  });
}
