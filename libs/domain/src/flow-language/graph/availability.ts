import type { Definition } from '../definition/definition.ts';
import { readsOf } from '../expressions/reads.ts';
import { pathsOf, type Paths } from './paths.ts';

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
  const homes = homesOf(definition);
  const sources = sourcesOf(definition);
  const isAvailable = (key: string, node: string): boolean =>
    [...sources(key)].every((slug) => !homes.has(slug) || paths.upTo(node).has(homes.get(slug)!));
  return { paths, isAvailable };
}

/** The answer a key is read from: a dotted plugin key belongs to its plugin's slug. */
export const slugOf = (key: string): string => key.split('.', 1)[0]!;

/** The node each slug is asked on. */
function homesOf({ nodes }: Definition): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { key, elements } of nodes) for (const element of elements) if ('slug' in element) homes.set(element.slug, key);
  return homes;
}

/** The slugs behind a key: itself, or everything a constant comes from. */
function sourcesOf({ constants }: Definition): (key: string) => ReadonlySet<string> {
  const reads = new Map(constants.map(({ key, expr }) => [key, readsOf(expr)]));
  const known = new Map<string, ReadonlySet<string>>();
  const sources = (key: string): ReadonlySet<string> => {
    const found = known.get(key);
    if (found) return found;
    const seen = new Set([key]);
    for (const each of seen) for (const read of reads.get(each) ?? []) seen.add(read);
    const slugs = new Set([...seen].filter((each) => !reads.has(each)).map(slugOf));
    known.set(key, slugs);
    return slugs;
  };
  return sources;
}
