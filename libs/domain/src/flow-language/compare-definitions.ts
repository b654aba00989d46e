import type { Definition, Edge, Element, FlowNode, OutputDocument } from './definition/definition.ts';
import type { Where } from './definition/finding.ts';

/** One difference between two definitions. */
export interface Change {
  change: 'added' | 'removed' | 'changed';
  where: Where;
  /** The member that changed. Null when the whole part was added or removed. */
  member: string | null;
  before: unknown;
  after: unknown;
}

/** A part of a definition. Parts of two definitions with the same key are compared with each other. */
interface Part {
  where: Where;
  /** The part without its nested parts, which are compared on their own. */
  value: object;
}
type Parts = ReadonlyMap<string, Part>;

/**
 * Returns all differences between a definition and an earlier one, in the order of the later one, with removed parts last. Parts are
 * identified by their keys. Elements without a slug, edges and rules are identified by their place among parts of the same name.
 * @spec D2-9
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
  const where = (element: Element, index: number): Where => ({ node: key, ...('slug' in element ? { element: element.slug } : { index }) });
  return [
    [`node ${key}`, { where: { node: key }, value: { ...node, ...(output && { language_party: output.language_party }) } }],
    ...numbered(
      elements,
      (element) => `element ${key} ${'slug' in element ? `slug ${element.slug}` : element.kind}`,
      (value, index) => ({ where: where(value, index), value }),
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

/** Numbers items that may have the same name, so that each has a key of its own. */
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
