import { atOnce } from '../at-once.ts';
import type { Definition } from '../definition/definition.ts';
import type { Finding, Severity } from '../definition/finding.ts';
import { LIMITS } from '../definition/limits.ts';
import { readParts } from '../definition/read-definition.ts';
import type { Doubt } from '../definition/reading.ts';
import { conditionsAreAnswerable } from './check-conditions.ts';
import {
  constantKeysAreSound,
  constantRefsAreKnown,
  constantsAreShallow,
  constantsAreUsed,
  constantTypesAgree,
  shownConstantsAreComputable,
} from './check-constants.ts';
import { constantsAreAcyclic, dependenciesAreAcyclic } from './check-cycles.ts';
import { defaultsAndBoundsAreSound } from './check-fields.ts';
import { documentsAreSound, leavesProduceDocuments, rulesAreSound, sourcesAreSound, templateTagsAreKnown } from './check-outputs.ts';
import { pluginsAreSound } from './check-plugins.ts';
import {
  elementKindsAreKnown,
  fieldTypesAreAnswerable,
  imagesAreThere,
  nodesAreReachable,
  ownersLinkNothing,
  textTagsAreKnown,
} from './check-steps.ts';
import { copySnapshots } from './copy-snapshots.ts';
import {
  edgesAreSound,
  graphIsAcyclic,
  nodeKeysAreDistinct,
  nodesHaveParties,
  partiesAreSound,
  partyKeysAreDistinct,
  pluginSlugsAreNoParties,
  slugsAreDistinct,
} from './check-structure.ts';
import { checkContextOf, type Check, type PublishInputs } from './check-context.ts';

/** The basic checks of names and edges, and what is not known when one of them finds something. */
const FOUNDATIONS: readonly [check: Check, ...doubts: Doubt[]][] = [
  [partyKeysAreDistinct, 'parties'],
  [partiesAreSound],
  [nodeKeysAreDistinct, 'paths'],
  [nodesHaveParties],
  [slugsAreDistinct, 'paths'],
  [pluginSlugsAreNoParties, 'parties'],
  [edgesAreSound, 'edges', 'paths'],
  [graphIsAcyclic, 'paths'],
];

/** The other checks of publishing, by subject. @spec D2-7 */
const CHECKS: readonly Check[] = [
  nodesAreReachable,
  elementKindsAreKnown,
  fieldTypesAreAnswerable,
  ownersLinkNothing,
  imagesAreThere,
  textTagsAreKnown,
  constantKeysAreSound,
  constantRefsAreKnown,
  constantsAreAcyclic,
  constantTypesAgree,
  constantsAreShallow,
  shownConstantsAreComputable,
  constantsAreUsed,
  conditionsAreAnswerable,
  defaultsAndBoundsAreSound,
  pluginsAreSound,
  dependenciesAreAcyclic,
  leavesProduceDocuments,
  documentsAreSound,
  rulesAreSound,
  sourcesAreSound,
  templateTagsAreKnown,
];

/** What publishing finds in a draft, and the definition that would be published if there is no error. */
export interface Judged {
  findings: Finding[];
  /** The definition with the descriptions of its plugins. Absent when there is an error. */
  definition?: Definition;
}

/**
 * Returns all findings about a draft before it is published, up to a limit. Any error blocks publishing. When a part cannot be read, or
 * names and edges are inconsistent, the rest is checked too, and only findings that would be a guess are left out. @spec D2-7
 */
export const judgeDraft = (value: unknown, inputs: PublishInputs): Judged => atOnce(judging(value, inputs));

/** Does the same in steps, so that a server can do other work between them: the largest draft takes too long for others to wait. */
export function* judging(value: unknown, inputs: PublishInputs): Generator<undefined, Judged> {
  const { definition: read, notes } = readParts(value);
  if (!read) return { findings: notes.findings };
  yield;
  const definition = copySnapshots(read, inputs);
  const context = checkContextOf(definition, inputs, notes);
  yield;
  const found = new Found(notes.findings);
  const doubted: Doubt[] = [];
  for (const [check, ...doubts] of FOUNDATIONS) {
    if (yield* noting(check(context), found)) doubted.push(...doubts);
  }
  notes.doubt(...doubted);
  for (const check of CHECKS) yield* noting(check(context), found);
  const { findings } = found;
  return { findings, ...(isPublishable(findings) && { definition }) };
}

/** The first findings about a draft. Each severity has its own limit, so that warnings never hide an error, which blocks publishing. */
class Found {
  private readonly left: Record<Severity, number> = { error: LIMITS.findings, warning: LIMITS.findings };
  readonly findings: Finding[] = [];

  constructor(findings: readonly Finding[]) {
    for (const each of findings) this.add(each);
  }

  add(each: Finding): void {
    if (this.left[each.severity]-- > 0) this.findings.push(each);
  }
}

/** How many findings are noted in one step. */
const NOTED_AT_ONCE = 100;

/** Notes what a check finds, in steps. Returns whether it finds anything. */
function* noting(check: Iterable<Finding | undefined>, found: Found): Generator<undefined, boolean> {
  let count = 0;
  for (const each of check) {
    if (each) found.add(each);
    if (!each || ++count % NOTED_AT_ONCE === 0) yield;
  }
  yield;
  return count > 0;
}

/** Returns only the findings about a draft. @spec D2-7 */
export const validateDefinition = (value: unknown, context: PublishInputs): Finding[] => judgeDraft(value, context).findings;

/** Whether a definition with these findings may be published. @spec D2-7 */
export const isPublishable = (findings: readonly Finding[]): boolean => findings.every(({ severity }) => severity !== 'error');
