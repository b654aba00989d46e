import type { Expr } from '../definition/definition.ts';
import { readsOf } from '../expressions/reads.ts';
import type { Flow } from '../flow.ts';
import type { IsPrivate } from './plugin-inputs.ts';

/** Who is about to send values, and what it knows of privacy. */
export interface Sender {
  party: string;
  /** Its current step. */
  node: string;
  /** As read with the run; without a list every other party's value counts as private. @spec D2-4.5.5 */
  private_slugs?: readonly string[] | null;
  /** Slugs of the current step filled from a private source, as by a link to a private profile field. */
  from_private?: ReadonlySet<string>;
}

/**
 * Which keys a party must keep from plugins: private slugs (whoever answered them), constants that read one however indirectly, and
 * values of the current step derived from one. A default that reads a private source makes its field private even when edited since:
 * nobody can tell an edit from a copy. Plugin answers never are. A client sets source_private on exactly the current step's private
 * slugs. @spec D2-4.5.5 @spec D2-2.3 @gap D2-4.5.5
 */
export function privateKeys(flow: Flow, sender: Sender): IsPrivate {
  const sources = sourcesOf(flow, sender);
  const known = new Map<string, boolean>();
  const isPrivate: IsPrivate = (key) => {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    known.set(key, true); // keys that depend on each other are kept back
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

/** Plugin slugs and dotted keys are absent, hence never private. */
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
