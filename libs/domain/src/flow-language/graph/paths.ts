import type { Definition } from '../definition/definition.ts';

/** The ways through a flow. */
export interface Paths {
  /** Nodes some path from the entry leads to. */
  reachable: ReadonlySet<string>;
  /** Nodes on some path from the entry to this one, and this one. @gap D2-7 */
  upTo(node: string): ReadonlySet<string>;
}

export function pathsOf({ entry, edges }: Definition): Paths {
  const forward = neighbours(edges.map(({ from, to }) => [from, to]));
  const backward = neighbours(edges.map(({ from, to }) => [to, from]));
  const reachable = reach(entry, forward);
  const known = new Map<string, ReadonlySet<string>>();
  const upTo = (node: string): ReadonlySet<string> => {
    const found = known.get(node) ?? new Set([node, ...[...reach(node, backward)].filter((before) => reachable.has(before))]);
    known.set(node, found);
    return found;
  };
  return { reachable, upTo };
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** The other ends of the edges at each node. */
export function neighbours(pairs: readonly (readonly [string, string])[]): Neighbours {
  const ends = new Map<string, string[]>();
  for (const [from, to] of pairs) ends.set(from, [...(ends.get(from) ?? []), to]);
  return ends;
}

/** Everything that can be reached from a node, itself included. */
function reach(start: string, next: Neighbours): Set<string> {
  const seen = new Set([start]);
  for (const node of seen) for (const end of next.get(node) ?? []) seen.add(end); // a Set's loop visits what is added on the way
  return seen;
}
