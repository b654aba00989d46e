import type { Expr } from '../definition/definition.ts';
import { readsOf } from '../expressions/reads.ts';
import type { Flow } from '../flow.ts';
import type { IsPrivate } from './plugin-inputs.ts';

/** The party that is about to send values, and what it knows of their privacy. */
export interface Sender {
  party: string;
  /** The party's current step. */
  node: string;
  /** The list that was read with the run. Without a list, every value of another party counts as private. @spec D2-4.5.5 */
  private_slugs?: readonly string[] | null;
  /** Slugs of the current step that are filled from a private source, such as a link to a private profile field. */
  from_private?: ReadonlySet<string>;
}

/**
 * Returns which keys a party must not send to plugins: private slugs (of any party), constants that read one directly or indirectly, and
 * values of the current step that are derived from one. A default that reads a private source makes its field private even when the field
 * was edited since, because an edit cannot be distinguished from a copy. Plugin answers are never private. A client sets `source_private`
 * on exactly the private slugs of the current step. @spec D2-4.5.5 @spec D2-2.3 @gap D2-4.5.5
 */
export function privateKeys(flow: Flow, sender: Sender): IsPrivate {
  const sources = sourcesOf(flow, sender);
  const known = new Map<string, boolean>();
  const isPrivate: IsPrivate = (key) => {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    known.set(key, true); // keys that depend on each other count as private
    const source = sources.get(key);
    const verdict = source !== undefined && (source.isPrivate || [...source.reads].some(isPrivate));
    known.set(key, verdict);
    return verdict;
  };
  return isPrivate;
}

interface Source {
  isPrivate: boolean;
  reads: ReadonlySet<string>;
}

const reads = (expr: Expr | undefined): ReadonlySet<string> => (expr ? readsOf(expr) : new Set());

/** Returns the sources of fields and constants. Plugin slugs and dotted keys are not among them, so they are never private. */
function sourcesOf({ definition }: Flow, { party, node, private_slugs, from_private }: Sender): Map<string, Source> {
  const sources = new Map<string, Source>();
  const listed = new Set(private_slugs);
  for (const { key, expr } of definition.constants) sources.set(key, { isPrivate: false, reads: reads(expr) });
  for (const step of definition.nodes) {
    const current = step.key === node;
    for (const element of step.elements) {
      if (element.kind !== 'field') continue;
      const { slug } = element;
      const isPrivate = listed.has(slug) || (!private_slugs && step.party !== party) || (current && (from_private?.has(slug) ?? false));
      sources.set(slug, { isPrivate, reads: reads(current ? element.default : undefined) });
    }
  }
  return sources;
}
