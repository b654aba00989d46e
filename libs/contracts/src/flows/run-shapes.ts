import { z } from 'zod';
import { verification } from '../connections/shapes.ts';
import { Verification } from '../connections/subjects.ts';
import { expects, fails } from '../core/fails.ts';
import { AnswerValue } from '../core/file.ts';
import { SEALED_CHARS } from '../core/limits.ts';
import { named } from '../core/named.ts';
import { Box, OneTimeKey, PublicKey, sealedUpTo } from '../core/sealed.ts';
import { Day, Id, IdempotencyKey, idOr, Slug, Timestamp } from '../core/text.ts';
import { CopyStatus, DocumentAction } from '../documents/shapes.ts';
import { FlowDefinition, OutputMode } from './flow-definition.ts';
import { GENERATION_INPUTS, RUN_PARTIES, TURN_ANSWERS } from './limits.ts';

/** Whether a text is the id of a flow. The platform makes these ids; any other text is the name of a flow. @gap D2-4.1 */
export const isFlowId = (flow: string): boolean => /^flow_\w+$/.test(flow);

/** Whose turn it is in a run, or how far the run has come. @spec D2-3 @gap D2-3 */
export const RunStatus = z.union([z.templateLiteral(['awaiting_', z.string()]), z.enum(['generating', 'completed', 'cancelled'])]);
export type RunStatus = z.infer<typeof RunStatus>;

/** The key of a party's PDF: of an answer, or of something that a customer shared. @spec D2-2.4 */
export const SourceKey = z
  .string()
  .max(256)
  .regex(
    /^(field:[A-Za-z][A-Za-z0-9_-]*|conn:[A-Za-z][A-Za-z0-9_-]*:[A-Za-z][A-Za-z0-9_-]*)$/,
    expects('must be the key of a source: field:<slug> or conn:<party>:<request_slug>'),
  );

/** One copy of an output and its place in the signing line. @spec D2-2.2 */
const ParticipantDocument = z.object({
  output_key: z.string(),
  name: z.string(),
  document_id: Id,
  document_status: CopyStatus,
  requires_signature: z.boolean(),
  requires_acceptance: z.boolean(),
  position: z.int().nullable(),
  action: DocumentAction.nullable(),
  acted_at: Timestamp.nullable(),
});

/** One entry per bound party, the owning company included. @spec D2-2.2 */
const Participant = z.object({
  party_key: z.string(),
  person_user_id: Id,
  connection_id: Id.nullable(),
  documents: z.array(ParticipantDocument),
});

const TagValue = z.object({ v: z.string(), t: z.string() });

/** A run in a list of runs. @spec D2-4.1 */
export const RunSummary = named('RunSummary', z.object({ id: Id, flow_id: Id, status: RunStatus, current_node: z.string().nullable() }));

/** @spec D2-2.2 */
export const Run = named(
  'Run',
  RunSummary.extend({
    flow_version: z.int(),
    service_id: Id,
    connection_id: Id.nullable(),
    company_user_id: Id,
    bindings: z.record(z.string(), Id),
    participants: z.array(Participant),
    output_mode: OutputMode,
    parties: z.array(z.object({ key: z.string(), label: z.string() })),
    /** Copies as ciphertext, or file references. */
    answers: z.array(z.object({ slug: z.string(), for_user_id: Id, value: z.string(), ...verification })),
    definition: FlowDefinition,
    reference_date: Day,
    private_slugs: z.array(z.string()),
    owner_tag_values: z.record(z.string(), TagValue).nullable(),
    tag_values: z.object({ public: z.string(), public_tags: z.array(z.string()), private: z.record(z.string(), z.string()) }).nullable(),
    source_files: z.record(z.string(), z.string()),
  }),
);
export type Run = z.infer<typeof Run>;
export type RunSummary = z.infer<typeof RunSummary>;

/** A run as a customer's client reads it: with the key of every bound user, to seal the next answers to. @spec D2-2.2 @gap D2-4.4 */
export const CustomerRun = named('CustomerRun', Run.extend({ party_keys: z.record(z.string(), PublicKey) }));
export type CustomerRun = z.infer<typeof CustomerRun>;

const badTags = fails('flows.tag_values_invalid');
const SealedTags = sealedUpTo(SEALED_CHARS, 'flows.tag_values_invalid', 'flows.tag_values_invalid');

/** Customer values that texts show, compiled for one recipient. @spec D2-4.1 */
export const TagValues = z.strictObject(
  {
    recipient_pubkey_sha256: z.string(badTags).regex(/^[0-9a-f]{64}$/, badTags),
    public: SealedTags,
    public_tags: z.array(z.string(badTags).max(200, badTags), badTags).max(500, badTags),
    private: z.record(z.string().max(200), SealedTags, badTags),
  },
  badTags,
);

const Target = z.strictObject({ connection_id: idOr('flows.connection_not_found') });

/** The request that starts a run. Only the definition says which parties it must bind. @spec D2-4.1 */
export const NewRun = z
  .strictObject({
    target: Target.optional(),
    targets: z.record(Slug, Target).optional(),
    bindings: z.record(Slug, Id).default({}),
    flow_version: z.int().min(1).optional(),
    tag_values: z.record(z.string().max(64), TagValues, badTags).optional(),
    source_files: z
      .array(z.strictObject({ source_key: SourceKey, for_user_id: Id, file: Id }))
      .max(RUN_PARTIES * 50)
      .default([]),
    /** Lets a caller repeat a start whose answer was lost, with everything sealed anew. @gap D2-4.1 */
    idempotency_key: IdempotencyKey.optional(),
  })
  .refine(
    ({ target, targets }) => target === undefined || targets === undefined,
    fails('flows.bindings_invalid', 'give target or targets, and not both'),
  );

const badAnswer = fails('flows.answer_invalid');
const AnswerCopy = z.strictObject({ for_user_id: idOr('flows.answer_party_invalid'), value: AnswerValue });

/** One answer, with a copy for each bound party. @spec D2-2.3 */
export const Answer = z.strictObject({
  slug: z.string(badAnswer).min(1, badAnswer).max(64, badAnswer),
  values: z.array(AnswerCopy, fails('flows.answer_party_missing')).max(RUN_PARTIES),
  source_private: z.boolean(badAnswer).default(false),
});

/** An answer of a customer, who may also say from which field of the profile it was linked. @spec D2-2.2 @gap D2-2.3 */
export const CustomerAnswer = Answer.extend({ source_field: Slug.optional() });

/** The same between regions: with what the customer's home region knows of the field that the answer was linked from. @spec D2-2.2 */
export const SentAnswer = CustomerAnswer.extend({ verification: Verification });
export type SentAnswer = z.infer<typeof SentAnswer>;

const onward = {
  next_node: z.string(fails('flows.next_node_invalid')).max(64, fails('flows.next_node_invalid')).optional(),
  leaf: z.boolean().optional(),
};
interface Onward {
  next_node?: string | undefined;
  leaf?: boolean | undefined;
}
const ONE_WAY = { ...fails('flows.next_node_invalid', 'give it, or leave true on a leaf, and not both'), path: ['next_node'] };
const goesOneWay = ({ next_node, leaf }: Onward) => (next_node === undefined) === (leaf === true);

/** The answers of the current step, and where to go from it: to a successor, or nowhere on a leaf. @spec D2-4.2 */
export const Turn = z.strictObject({ answers: z.array(Answer).max(TURN_ANSWERS), ...onward }).refine(goesOneWay, ONE_WAY);
/** A turn of a customer, as the home region sends it to the region in which the run lives. */
export const SentTurn = z.strictObject({ answers: z.array(SentAnswer).max(TURN_ANSWERS), ...onward });
export type SentTurn = z.infer<typeof SentTurn>;
/** @gap D2-4.4 */
export const CustomerTurn = z.strictObject({ answers: z.array(CustomerAnswer).max(TURN_ANSWERS), ...onward }).refine(goesOneWay, ONE_WAY);

/** @spec D2-4.3 */
export const Generation = z.strictObject({
  otk: OneTimeKey,
  values: Box,
  inputs: z
    .array(z.strictObject({ source_key: SourceKey, input: idOr('flows.generate_inputs_mismatch') }))
    .max(GENERATION_INPUTS, fails('flows.generate_inputs_mismatch'))
    .default([]),
});

/** The generated documents: every call answers the same set, with the status that the run has by then. @spec D2-4.3 */
export const Generated = named(
  'Generated',
  z.object({
    documents: z.array(z.object({ output_key: z.string(), party_key: z.string(), document_id: Id, position: z.int().nullable() })),
    status: z.enum(['awaiting_signature', 'completed']),
  }),
);
export type Generated = z.infer<typeof Generated>;
export type Generation = z.infer<typeof Generation>;

/** A participant's PDF for one generation, under its one-time key. @spec D2-4.3 */
export const GenerationInput = z.strictObject({ source_key: SourceKey, value: Box });
export type GenerationInput = z.infer<typeof GenerationInput>;
