import type { Definition } from '../definition/definition.ts';
import { readsOf } from '../expressions/reads.ts';
import { dependencyOrder } from './dependency-order.ts';
import { pathsOf, type NodeSet, type Paths } from './paths.ts';

/** Which answers can be known at a step. */
export interface Availability {
  paths: Paths;
  /**
   * Whether a key may be answered when the run leaves a node. A field or plugin may be answered if it is on the node or on a path to it. A
   * constant may, if all that it reads, directly or indirectly, may. An undeclared key counts as available, because it is reported as
   * unknown. @gap D2-7
   */
  isAvailable(key: string, node: string): boolean;
}

export function availabilityOf(definition: Definition): Availability {
  const paths = pathsOf(definition);
  const homesOfKey = homesOf(definition, paths);
  return { paths, isAvailable: (key, node) => paths.leadTo(homesOfKey(key), node) };
}

/** Returns the slug of the answer that a key is read from. A dotted plugin key belongs to its plugin's slug. */
export function slugOf(key: string): string {
  const dot = key.indexOf('.');
  return dot < 0 ? key : key.slice(0, dot);
}

/** Returns the function that finds the nodes of a key: the node that asks it or, for a constant, those of all keys it reads. */
function homesOf({ nodes, constants }: Definition, { setOf }: Paths): (key: string) => NodeSet {
  const requestedOn = new Map<string, NodeSet>();
  for (const { key, elements } of nodes) for (const element of elements) if ('slug' in element) requestedOn.set(element.slug, setOf([key]));
  const reads = new Map(constants.map(({ key, expr }) => [key, [...readsOf(expr)]]));
  const known = new Map<string, NodeSet>();
  const [none, readsOfKey] = [setOf([]), (key: string) => reads.get(key) ?? []];
  const homes = (key: string): NodeSet => (reads.has(key) ? known.get(key) : requestedOn.get(slugOf(key))) ?? none;
  for (const group of dependencyOrder(reads.keys(), (key) => readsOfKey(key).filter((read) => reads.has(read)))) {
    const set = setOf([], group.flatMap(readsOfKey).map(homes));
    for (const key of group) known.set(key, set);
  }
  return homes;
}
