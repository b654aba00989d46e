import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { flowId, runId, serviceId } from '../core/params.ts';
import { PublishedFlow } from './flow-shapes.ts';
import { outputKey, sourceKey } from './params.ts';
import {
  ACCEPT_OUTPUT,
  ANSWER,
  ANSWER_FILE,
  CANCEL,
  DECLINE_OUTPUT,
  GENERATE,
  GENERATION_INPUT,
  LIST,
  READ,
  READ_FILE,
  READ_OUTPUT,
  SIGN_OUTPUT,
  STAGE_FILE,
  START,
} from './run-parts.ts';

/** Runs of the company's own services, by its automation; the owner's copy is sealed to the service key. @spec D2-4.4 @spec D2-5 */
const ROUTE = { tag: 'contract flows', at: ['region'], spec: 'D2-4.4', callers: ['account', 'portal'] } as const;
/** The path of a run. */
const RUN = '/api/services/{id}/flows/{flowId}/runs/{runId}';
const ofFlow = z.object({ id: serviceId, flowId });
const OF_FLOW = { ...ROUTE, params: ofFlow } as const;
const ofOwnRun = z.object({ id: serviceId, flowId, runId });
const OF_OWN_RUN = { ...ROUTE, params: ofOwnRun } as const;
const ofOwnOutput = z.object({ id: serviceId, flowId, runId, outputKey });
const OF_OWN_OUTPUT = { ...ROUTE, params: ofOwnOutput } as const;

/** Refusals beside those of the operation itself: the service and the flow may not be the caller's. */
const OWN = ['services.not_found', 'flows.not_found'] as const;

/** The owner's automation that starts runs reads here which values it has to compile. @gap D2-4.4 */
export const readOwnPublishedFlow = endpoint('read_own_published_flow', 'GET /api/services/{id}/flows/{flowId}/published', {
  ...OF_FLOW,
  summary: 'The latest published version of an own flow',
  description: 'As `read_published_flow`, for a flow of one of your services, with an account client or at the portal.',
  result: PublishedFlow,
  refusals: [...OWN, 'flows.not_published'],
});

export const stageOwnRunFile = endpoint('stage_own_run_file', 'POST /api/services/{id}/flows/{flowId}/run-files', {
  ...OF_FLOW,
  ...STAGE_FILE,
  summary: "Store a copy of a customer's PDF, sealed to one bound user, before a run starts",
  description: 'As `stage_run_file`, for a flow of one of your services, with an account client or at the portal.',
  refusals: [...STAGE_FILE.refusals, 'services.not_found'],
});

export const startOwnRun = endpoint('start_own_run', 'POST /api/services/{id}/flows/{flowId}/runs', {
  ...OF_FLOW,
  ...START,
  summary: 'Start a run of an own flow',
  description: 'As `start_run`, for a flow of one of your services. Your own copies are sealed to the key of that service.',
  refusals: [...START.refusals, 'services.not_found'],
});

export const listOwnRuns = endpoint('list_own_runs', 'GET /api/services/{id}/flows/{flowId}/runs', {
  ...OF_FLOW,
  ...LIST,
  summary: 'The runs of an own flow, newest first',
  description: 'As `list_runs`, for one flow of one of your services.',
  refusals: [...LIST.refusals, ...OWN],
});

export const readOwnRun = endpoint('read_own_run', `GET ${RUN}`, {
  ...OF_OWN_RUN,
  ...READ,
  summary: 'One run of an own flow',
  description: 'As `read_run`, for a flow of one of your services.',
  refusals: [...READ.refusals, ...OWN],
});

export const answerOwnRun = endpoint('answer_own_run', `POST ${RUN}/answers`, {
  ...OF_OWN_RUN,
  ...ANSWER,
  summary: "Take the owner's turn in an own flow",
  description: 'As `answer_run`: takes the turn of the company in a flow of one of its services.',
  refusals: [...ANSWER.refusals, ...OWN],
});

export const uploadOwnAnswerFile = endpoint('upload_own_answer_file', `POST ${RUN}/answer-files`, {
  ...OF_OWN_RUN,
  ...ANSWER_FILE,
  summary: "Store one party's copy of a file answer, then submit its reference",
  description: 'As `upload_answer_file`, for a flow of one of your services.',
  refusals: [...ANSWER_FILE.refusals, ...OWN],
});

export const readOwnSourceFile = endpoint('read_own_source_file', `GET ${RUN}/source-files/{sourceKey}`, {
  ...ROUTE,
  ...READ_FILE,
  summary: "The owner's own copy of a connection source",
  description: 'As `read_source_file`, for a flow of one of your services.',
  params: z.object({ id: serviceId, flowId, runId, sourceKey }),
  refusals: [...READ_FILE.refusals, ...OWN],
});

export const uploadOwnGenerationInput = endpoint('upload_own_generation_input', `POST ${RUN}/generate/inputs`, {
  ...ROUTE,
  ...GENERATION_INPUT,
  summary: "Hand over a participant's PDF for one generation, under its one-time key",
  description: 'As `upload_generation_input`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...GENERATION_INPUT.refusals, ...OWN],
});

export const generateOwnDocuments = endpoint('generate_own_documents', `POST ${RUN}/generate`, {
  ...OF_OWN_RUN,
  ...GENERATE,
  summary: 'Fill and issue the documents of the leaf; a repeat answers the same set',
  description: 'As `generate_documents`, for a flow of one of your services.',
  refusals: [...GENERATE.refusals, ...OWN],
});

export const readOwnOutputFile = endpoint('read_own_output_file', `GET ${RUN}/documents/{outputKey}/file`, {
  ...OF_OWN_OUTPUT,
  ...READ_OUTPUT,
  summary: "The owner's own copy of an output document",
  description: 'As `read_output_file`, for a flow of one of your services.',
  refusals: [...READ_OUTPUT.refusals, ...OWN],
});

export const signOwnOutput = endpoint('sign_own_output', `POST ${RUN}/documents/{outputKey}/sign`, {
  ...OF_OWN_OUTPUT,
  ...SIGN_OUTPUT,
  summary: "Sign the owner's own copy of an output document",
  description: 'As `sign_output`, for a flow of one of your services.',
  refusals: [...SIGN_OUTPUT.refusals, ...OWN],
});

export const acceptOwnOutput = endpoint('accept_own_output', `POST ${RUN}/documents/{outputKey}/accept`, {
  ...OF_OWN_OUTPUT,
  ...ACCEPT_OUTPUT,
  summary: "Accept the owner's own copy of an output document",
  description: 'As `accept_output`, for a flow of one of your services.',
  refusals: [...ACCEPT_OUTPUT.refusals, ...OWN],
});

export const declineOwnOutput = endpoint('decline_own_output', `POST ${RUN}/documents/{outputKey}/decline`, {
  ...OF_OWN_OUTPUT,
  ...DECLINE_OUTPUT,
  summary: "Decline the owner's own copy of an output document; the run is cancelled",
  description: 'As `decline_output`, for a flow of one of your services.',
  refusals: [...DECLINE_OUTPUT.refusals, ...OWN],
});

export const cancelOwnRun = endpoint('cancel_own_run', `POST ${RUN}/cancel`, {
  ...OF_OWN_RUN,
  ...CANCEL,
  summary: 'Cancel an open run of an own flow',
  description: 'As `cancel_run`, for a flow of one of your services.',
  refusals: [...CANCEL.refusals, ...OWN],
});
