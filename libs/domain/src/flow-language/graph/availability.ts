import type { Definition } from '../definition/definition.ts';
import { readsOf } from '../expressions/reads.ts';
import { dependencyOrder } from './dependency-order.ts';
import { pathsOf, type NodeSet, type Paths } from './paths.ts';

/** What can be known at a step. */
export interface Availability {
  paths: Paths;
  /**
   * Whether a key may be answered by the time a node is left: a field or plugin on a path to it, or on it; a constant when all it
   * reads, however indirectly, may. A key nobody declares counts as available: it is reported for being unknown. @gap D2-7
   */
  isAvailable(key: string, node: string): boolean;
}

export function availabilityOf(definition: Definition): Availability {
  const paths = pathsOf(definition);
  const homesOfKey = homesOf(definition, paths);
  return { paths, isAvailable: (key, node) => paths.leadTo(homesOfKey(key), node) };
}

/** The answer a key is read from: a dotted plugin key belongs to its plugin's slug. */
export function slugOf(key: string): string {
  const dot = key.indexOf('.');
  return dot < 0 ? key : key.slice(0, dot);
}

/** The nodes that a key comes from: the one that asks for it, or those of everything a constant reads. Constants in a circle share them. */
function homesOf({ nodes, constants }: Definition, { setOf }: Paths): (key: string) => NodeSet {
  const askedOn = new Map<string, NodeSet>();
  for (const { key, elements } of nodes) for (const element of elements) if ('slug' in element) askedOn.set(element.slug, setOf([key]));
  const reads = new Map(constants.map(({ key, expr }) => [key, [...readsOf(expr)]]));
  const known = new Map<string, NodeSet>();
  const [none, readsOfKey] = [setOf([]), (key: string) => reads.get(key) ?? []];
  const homes = (key: string): NodeSet => (reads.has(key) ? known.get(key) : askedOn.get(slugOf(key))) ?? none;
  for (const group of dependencyOrder(reads.keys(), (key) => readsOfKey(key).filter((read) => reads.has(read)))) {
    const set = setOf([], group.flatMap(readsOfKey).map(homes));
    for (const key of group) known.set(key, set);
  }
  return homes;
}
