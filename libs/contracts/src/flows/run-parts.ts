import { z } from 'zod';
import { expects } from '../core/fails.ts';
import { SealedFile, StoredFile } from '../core/file.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { page, Paging } from '../core/page.ts';
import { SealedAnswerFile, SealedUpload } from '../core/sealed.ts';
import { Id, idOr, Slug } from '../core/text.ts';
import { AcceptAct, CompanyDocument, CompanySignAct } from '../documents/shapes.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { GENERATION_BODY_BYTES } from './limits.ts';
import { Generated, Generation, GenerationInput, NewRun, Run, RunStatus, RunSummary, Turn } from './run-shapes.ts';

/**
 * The parts that the three sides of a run have in common. The service client, the owner's automation and the customer call the same
 * operations with the same bodies and answers, each by its own path. @spec D2-4.4
 */
const ACTS_ON_RUN = ['flows.run_not_found', 'account.counterparty_deleted'] as const;

export const STAGE_FILE = {
  body: z.strictObject({ source_user_id: idOr('flows.source_user_invalid'), value: SealedUpload }),
  largest: UPLOAD_BODY_BYTES,
  tooLarge: 'documents.too_large',
  streams: 'to rest',
  status: 201,
  result: StoredFile,
  refusals: ['request.invalid', 'flows.not_found', 'flows.source_user_invalid', 'contact_data.encryption_required', 'documents.too_large'],
} as const;

export const START = {
  body: NewRun,
  status: 201,
  result: Run,
  refusals: [
    'request.invalid',
    'account.level_required',
    'flows.not_found',
    'flows.not_published',
    'flows.version_changed',
    'flows.connection_not_found',
    'flows.bindings_invalid',
    'flows.no_counterparty',
    'flows.tag_values_invalid',
    'flows.tag_values_stale',
    'flows.source_files_invalid',
    'account.counterparty_deleted',
  ],
} as const;

/** A status in an address, which anyone can write. */
const ListedStatus = RunStatus.refine((status) => /^[\w-]{1,80}$/.test(status), expects('must be a status, such as awaiting_company'));

export const LIST = {
  query: Paging.extend({ status: ListedStatus.optional().describe('Only runs of this status, such as `awaiting_company`') }),
  result: page(RunSummary),
  refusals: ['request.invalid'],
} as const;

export const READ = { result: Run, refusals: ['flows.run_not_found'] } as const;

const TURN_REFUSALS = [
  ...ACTS_ON_RUN,
  'request.invalid',
  'contact_data.encryption_required',
  'flows.answer_party_missing',
  'flows.answer_invalid',
  'flows.answer_party_invalid',
  'flows.next_node_invalid',
  'flows.not_your_turn',
  'flows.run_not_awaiting',
] as const;

export const ANSWER = { body: Turn, result: Run, refusals: TURN_REFUSALS } as const;

export const ANSWER_FILE = {
  body: z.strictObject({ slug: Slug, for_user_id: idOr('flows.answer_party_invalid'), value: SealedAnswerFile }),
  largest: UPLOAD_BODY_BYTES,
  tooLarge: 'flows.answer_file_too_large',
  streams: 'to rest',
  status: 201,
  result: StoredFile,
  refusals: [
    ...ACTS_ON_RUN,
    'request.invalid',
    'contact_data.encryption_required',
    'flows.answer_invalid',
    'flows.answer_party_invalid',
    'flows.answer_file_too_large',
    'flows.not_your_turn',
    'flows.run_not_awaiting',
  ],
} as const;

export const READ_FILE = {
  result: SealedFile,
  produces: 'bytes',
  refusals: ['flows.run_not_found', 'flows.file_not_found'],
} as const;

export const GENERATION_INPUT = {
  body: GenerationInput,
  largest: UPLOAD_BODY_BYTES,
  tooLarge: 'documents.too_large',
  streams: 'to rest',
  status: 201,
  result: z.object({ input: Id }),
  refusals: [
    ...ACTS_ON_RUN,
    'request.invalid',
    'flows.not_generatable',
    'flows.not_your_turn',
    'flows.generate_inputs_mismatch',
    'documents.too_large',
  ],
} as const;

export const GENERATE = {
  body: Generation,
  largest: GENERATION_BODY_BYTES,
  tooLarge: 'documents.too_large',
  result: Generated,
  refusals: [
    ...ACTS_ON_RUN,
    'request.invalid',
    'documents.too_large',
    'flows.not_generatable',
    'flows.not_your_turn',
    'flows.generation_failed',
    'flows.generate_inputs_mismatch',
    'flows.source_pdf_invalid',
  ],
} as const;

export const READ_OUTPUT = {
  result: SealedFile,
  produces: 'bytes',
  refusals: ['flows.run_not_found', 'flows.no_document'],
} as const;

/** What the owner does with its own copy of an output. Customers act on their copies as on any document. @gap D2-4.3 */
const ACTING = {
  party_key: Id.optional().describe('The party for which the company acts: needed where it plays several that sign or accept this output'),
};
const ON_OUTPUT = { result: CompanyDocument } as const;
const ACTS_ON_OUTPUT = [...ACTS_ON_RUN, 'request.invalid', 'flows.no_document', 'documents.transition_invalid'] as const;
const SEALS_OUTPUT = {
  ...ON_OUTPUT,
  largest: UPLOAD_BODY_BYTES,
  tooLarge: 'documents.too_large',
  streams: 'in memory',
  refusals: [...ACTS_ON_OUTPUT, 'documents.file_invalid', 'documents.too_large', 'documents.seal_failed'],
} as const;

export const SIGN_OUTPUT = { ...SEALS_OUTPUT, body: CompanySignAct.safeExtend(ACTING) } as const;
export const ACCEPT_OUTPUT = { ...SEALS_OUTPUT, body: AcceptAct.safeExtend(ACTING) } as const;
export const DECLINE_OUTPUT = { ...ON_OUTPUT, body: z.strictObject(ACTING), refusals: ACTS_ON_OUTPUT } as const;

export const PLUGIN_PASS = {
  result: PluginPass,
  refusals: [...ACTS_ON_RUN, 'flows.not_your_turn', 'flows.run_not_awaiting', 'flows.definition_invalid'],
} as const;

export const CANCEL = { result: Run, refusals: [...ACTS_ON_RUN, 'flows.run_not_awaiting'] } as const;
