// The language in which flows are written, and the decisions that both planes make with it. README.md explains it. To start a run:
// bindTargets. To play it: readDefinition and compileFlow, then on each step fillDefaults and stepValues to ask, and prepareTurn to submit.
// At a document leaf: chooseOutputs and signingLine. To publish a flow: validateDefinition and copySnapshots.

export type * from './definition/definition.ts';
export {
  CONDITION_OPS,
  DATE_UNITS,
  LINKS,
  MATH_OPS,
  OUTPUT_MODES,
  PARTY_TYPES,
  SIGN_ACTIONS,
  VALUE_TYPES,
} from './definition/definition.ts';
export { FINDINGS, type Finding, type FindingKey, type Severity, type Where } from './definition/finding.ts';
export { kindsOf, type FieldTypes, type Kind, type Kinds } from './definition/kinds.ts';
export { LIMITS, MAX_LEVELS } from './definition/limits.ts';
export { CONSTANT_KEY, NAME } from './definition/names.ts';
export { readDefinition, type DefinitionReading } from './definition/read-definition.ts';

export { compileConstants, computeConstants, type ComputeConstants } from './expressions/constants.ts';
export { fieldsOf, readsOf } from './expressions/reads.ts';
export { roundToCents } from './expressions/rounding.ts';
export { textOf, type Answers, type Values } from './expressions/values.ts';
export { compareDefinitions, type Change } from './compare-definitions.ts';
export { compileFlow, type Flow } from './flow.ts';
export { availabilityOf, type Availability } from './graph/availability.ts';
export { pathsOf, type Paths } from './graph/paths.ts';

export { boundFaults, type BoundFault } from './steps/bounds.ts';
export { answerFault } from './steps/check-answer.ts';
export { defaultText, fillDefaults, fillingDefaults, followDefault } from './steps/defaults.ts';
export { leafKind, nextNode, type LeafKind, type Next } from './steps/next-node.ts';
export {
  prepareTurn,
  preparingTurn,
  type NotReady,
  type PreparedTurn,
  type ReadyTurn,
  type TurnAnswer,
  type TurnState,
} from './steps/prepare-turn.ts';
export { questionsOf, shownConstants, shownElements, unanswered, type Question, type ShownConstant } from './steps/shown-elements.ts';
export { hidingDrafts, liveAnswers, stepValues, type Draft, type Drafts } from './steps/step-values.ts';

export { isAddress, parseText, type TextNode } from './text/parse-text.ts';
export { answerText, keyTextOf, plainText, UNANSWERED, type KeyText, type TagValues } from './text/render-text.ts';
export { customerTags, ownerTags, tagsOf, type PartyTag } from './text/tags.ts';

export { readAnswer } from './answers/read-answers.ts';
export {
  pluginAnswerFault,
  pluginAnswerText,
  readPluginAnswer,
  writePluginAnswer,
  type AnsweredBlock,
  type AnsweredOutput,
  type PluginAnswer,
  type PluginGiven,
  type PluginPick,
} from './plugins/plugin-answer.ts';
export { convertInput, pluginInputs, type InputFault, type IsPrivate, type PluginInputs } from './plugins/plugin-inputs.ts';
export { privateKeys, type Sender } from './plugins/privacy.ts';

export { bindTargets, type BindingFault, type Bound, type Customer, type RunStart } from './start/bind-targets.ts';

export { chooseOutputs, type ProducedOutput, type RuleFacts } from './outputs/choose-outputs.ts';
export { copiesOf, participantsOf, primaryParty, type Copy, type Participant } from './outputs/copies.ts';
export { openStep, seals, signingLine, type SignedOutput, type Step } from './outputs/signing-line.ts';
export {
  requiredSourceFiles,
  sourceFilesFault,
  type Bindings,
  type IsShared,
  type RequiredFile,
  type SourceFilesFault,
  type StagedFile,
} from './outputs/source-files.ts';
export {
  connectionSources,
  availableSources,
  isFileReference,
  participantSources,
  sourceOf,
  type FileReference,
  type AvailableFiles,
  type Source,
} from './outputs/sources.ts';
export { templateText } from './outputs/template-text.ts';

export { copySnapshots } from './publish/copy-snapshots.ts';
export type { PublishInputs, RequestField } from './publish/check-context.ts';
export { isPublishable, judgeDraft, judging, validateDefinition, type Judged } from './publish/validate-definition.ts';
