import type { Definition } from '../definition/definition.ts';
import { dependencyOrder } from './dependency-order.ts';

/** A set of nodes of a flow, with one bit for each node. Sets of names would cost a hundred times as much for the largest flows. */
export type NodeSet = Readonly<Uint32Array>;

/** The paths through a flow. */
export interface Paths {
  /** The nodes that some path from the entry leads to. */
  reachable: ReadonlySet<string>;
  /** Returns the set of these nodes and of the nodes in the sets. */
  setOf(nodes: Iterable<string>, sets?: Iterable<NodeSet>): NodeSet;
  /** Whether each of the nodes in `before` is on some path from the entry to `node`, or is `node`. @gap D2-7 */
  leadTo(before: NodeSet, node: string): boolean;
}

export function pathsOf({ entry, nodes, edges }: Definition): Paths {
  const names = [...new Set([entry, ...nodes.map(({ key }) => key), ...edges.flatMap(({ from, to }) => [from, to])])];
  const bits = new Map(names.map((name, bit) => [name, bit]));
  const setOf: SetOf = (some, sets = []) => {
    const set = new Uint32Array(Math.ceil(names.length / 32));
    for (const name of some) add(set, bits.get(name));
    for (const other of sets) for (let word = 0; word < set.length; word++) set[word]! |= other[word]!;
    return set;
  };
  const reachable = reach(entry, neighbours(edges.map(({ from, to }) => [from, to])));
  const reached = setOf(reachable);
  const before = nodesBefore(names, edges, setOf);
  const upTo = new Map<string, NodeSet>();
  const found = (node: string): NodeSet => {
    const set = upTo.get(node) ?? add(both(before.get(node) ?? setOf([]), reached), bits.get(node));
    upTo.set(node, set);
    return set;
  };
  return { reachable, setOf, leadTo: (some, node) => isWithin(some, found(node)) };
}

type SetOf = (nodes: Iterable<string>, sets?: Iterable<NodeSet>) => Uint32Array;

/** Returns the nodes before each node, in one pass: a node adds its predecessors' sets. Nodes in a cycle share one set. */
function nodesBefore(names: readonly string[], edges: Definition['edges'], setOf: SetOf): ReadonlyMap<string, NodeSet> {
  const backward = neighbours(edges.map(({ from, to }) => [to, from]));
  const known = new Map<string, NodeSet>();
  for (const group of dependencyOrder(names, (name) => backward.get(name) ?? [])) {
    const ends = group.flatMap((name) => backward.get(name) ?? []);
    const set = setOf(
      ends,
      ends.flatMap((end) => known.get(end) ?? []),
    );
    for (const name of group) known.set(name, set);
  }
  return known;
}

function add(set: Uint32Array, bit: number | undefined): Uint32Array {
  if (bit !== undefined) set[bit >> 5]! |= 1 << (bit & 31);
  return set;
}

const both = (one: NodeSet, other: NodeSet): Uint32Array => one.map((word, i) => word & other[i]!);
const isWithin = (some: NodeSet, all: NodeSet): boolean => some.every((word, i) => (word & ~all[i]!) === 0);

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Returns the other ends of the edges that begin at each node. */
export function neighbours(pairs: readonly (readonly [string, string])[]): Neighbours {
  const ends = new Map<string, string[]>();
  for (const [from, to] of pairs) {
    const known = ends.get(from);
    if (known) known.push(to);
    else ends.set(from, [to]);
  }
  return ends;
}

/** Returns all nodes that can be reached from a node, including itself. */
function reach(start: string, next: Neighbours): Set<string> {
  const seen = new Set([start]);
  for (const node of seen) for (const end of next.get(node) ?? []) seen.add(end); // the loop also visits nodes that are added meanwhile
  return seen;
}
