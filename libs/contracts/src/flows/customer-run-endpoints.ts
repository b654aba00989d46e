import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { RawFile } from '../core/file.ts';
import { connectionId, ofConnection, runId } from '../core/params.ts';
import { idOr } from '../core/text.ts';
import { ANSWER, ANSWER_FILE, GENERATE, GENERATION_INPUT, LIST, PLUGIN_PASS, READ, READ_FILE } from './run-parts.ts';
import { CustomerRun, CustomerTurn } from './run-shapes.ts';

/** Runs a customer takes part in: a person, or a company through its automation. @spec D2-4.4 @spec D2-5 */
const ROUTE = { tag: 'customer', at: ['region'], spec: 'D2-4.4', callers: ['person', 'account', 'portal'] } as const;
/** The path of the runs of a connection. */
const RUNS = '/api/company-connections/{connectionId}/flow-runs';
const ofCustomerRun = z.object({ connectionId, runId });
const OF_CUSTOMER_RUN = { ...ROUTE, params: ofCustomerRun } as const;

/** A refusal beside those of the operation itself: the connection may not be the caller's. */
const OWN = ['company_data.connection_not_found'] as const;

export const listCustomerRuns = endpoint('list_customer_runs', `GET ${RUNS}`, {
  ...ROUTE,
  ...LIST,
  summary: 'The runs of a connection',
  description: 'The runs of one connection that the caller takes part in, in pages.',
  params: ofConnection,
  refusals: [...LIST.refusals, ...OWN],
});

export const readCustomerRun = endpoint('read_customer_run', `GET ${RUNS}/{runId}`, {
  ...OF_CUSTOMER_RUN,
  ...READ,
  summary: "One run, with the caller's own copies and the keys to seal the next answers to",
  description:
    "One run from the customer's side: the answers sealed to the caller, and the keys of all parties to seal the next answers to.",
  result: CustomerRun,
  refusals: [...READ.refusals, ...OWN],
});

export const answerCustomerRun = endpoint('answer_customer_run', `POST ${RUNS}/{runId}/answers`, {
  ...OF_CUSTOMER_RUN,
  ...ANSWER,
  act: 'runId',
  summary: "Take the customer's turn",
  description: 'As `answer_run`, for the turn of the customer.',
  body: CustomerTurn,
  result: CustomerRun,
  refusals: [...ANSWER.refusals, ...OWN],
});

export const uploadCustomerAnswerFile = endpoint('upload_customer_answer_file', `POST ${RUNS}/{runId}/answer-files`, {
  ...OF_CUSTOMER_RUN,
  ...ANSWER_FILE,
  summary: "Store one party's copy of a file answer, then submit its reference",
  description: 'As `upload_answer_file`, for the turn of the customer.',
  refusals: [...ANSWER_FILE.refusals, ...OWN],
});

export const readCustomerAnswerFile = endpoint('read_customer_answer_file', `GET ${RUNS}/{runId}/answer-files/{file}`, {
  ...ROUTE,
  ...READ_FILE,
  summary: "The caller's own copy of a file answer or of a connection source",
  description: "The caller's copy of a file of the run, sealed to the caller's account key.",
  params: z.object({
    connectionId,
    runId,
    file: idOr('flows.file_not_found').describe('The name of a stored file, from an answer or from `source_files`'),
  }),
  refusals: [...READ_FILE.refusals, ...OWN],
});

/** The images of steps are part of the version that a run is pinned to. @gap D2-2.6 */
export const readStepImage = endpoint('read_step_image', `GET ${RUNS}/{runId}/images/{assetKey}`, {
  ...ROUTE,
  ...READ_FILE,
  summary: 'An image that a step of the run shows',
  description:
    'The image of an element of the pinned definition, by its `asset_key`, as the company published it. It is not found any more once ' +
    'the company has deleted the flow.',
  params: z.object({
    connectionId,
    runId,
    assetKey: idOr('flows.file_not_found').describe('The `asset_key` of an image element of the definition'),
  }),
  result: RawFile,
  refusals: [...READ_FILE.refusals, ...OWN],
});

export const uploadCustomerGenerationInput = endpoint('upload_customer_generation_input', `POST ${RUNS}/{runId}/generate/inputs`, {
  ...OF_CUSTOMER_RUN,
  ...GENERATION_INPUT,
  summary: "Hand over a participant's PDF for one generation, under its one-time key",
  description: 'As `upload_generation_input`, where the customer answered last.',
  refusals: [...GENERATION_INPUT.refusals, ...OWN],
});

export const generateCustomerDocuments = endpoint('generate_customer_documents', `POST ${RUNS}/{runId}/generate`, {
  ...OF_CUSTOMER_RUN,
  ...GENERATE,
  summary: 'Fill and issue the documents of a leaf the customer answered last',
  description: 'As `generate_documents`, where the customer answered the last step.',
  refusals: [...GENERATE.refusals, ...OWN],
});

export const issueCustomerPluginPass = endpoint('issue_customer_plugin_pass', `POST ${RUNS}/{runId}/plugin-pass`, {
  ...OF_CUSTOMER_RUN,
  ...PLUGIN_PASS,
  summary: "A pass for the plugins of the customer's step",
  description: 'As `issue_plugin_pass`, for the step of the customer.',
  refusals: [...PLUGIN_PASS.refusals, ...OWN],
});
