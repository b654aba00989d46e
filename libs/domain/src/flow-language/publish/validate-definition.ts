import type { Finding } from '../definition/finding.ts';
import { readDefinition } from '../definition/read-definition.ts';
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
import { elementKindsAreKnown, fieldTypesAreAnswerable, nodesAreReachable, textTagsAreKnown } from './check-steps.ts';
import { copySnapshots } from './copy-snapshots.ts';
import { edgesAreSound, graphIsAcyclic, nodesAreSound, partiesAreSound, slugsAreSound } from './foundations.ts';
import { surveyOf, type Check, type PublishContext } from './survey.ts';

/** Without these nothing else can be judged. */
const FOUNDATIONS: readonly Check[] = [partiesAreSound, nodesAreSound, slugsAreSound, edgesAreSound, graphIsAcyclic];

/** The publish table, by subject. @spec D2-7 */
const CHECKS: readonly Check[] = [
  nodesAreReachable,
  elementKindsAreKnown,
  fieldTypesAreAnswerable,
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

/**
 * Everything there is to say about a definition before it is published, at once; any error blocks it. A definition that cannot be
 * read, or whose names and edges do not hold together, is told so and not analysed further: the rest would be guesses. @spec D2-7
 */
export function validateDefinition(value: unknown, context: PublishContext): Finding[] {
  const reading = readDefinition(value);
  if (!reading.ok) return reading.findings;
  const survey = surveyOf(copySnapshots(reading.definition, context), context);
  const shaken = FOUNDATIONS.flatMap((check) => [...check(survey)]);
  return shaken.length ? shaken : CHECKS.flatMap((check) => [...check(survey)]);
}

/** Whether a definition with these findings may be published. @spec D2-7 */
export const isPublishable = (findings: readonly Finding[]): boolean => findings.every(({ severity }) => severity !== 'error');
