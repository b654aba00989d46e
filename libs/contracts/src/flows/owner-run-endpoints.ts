import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { flowId, runId, serviceId } from '../core/params.ts';
import { AUTHENTICATED } from '../core/refusals.ts';
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
const ofFlow = z.object({ id: serviceId, flowId });
const ofOwnRun = z.object({ id: serviceId, flowId, runId });
const ofOwnOutput = z.object({ id: serviceId, flowId, runId, outputKey });

/** Refusals beside those of the operation itself: the service and the flow may not be the caller's. */
const OWN = ['services.not_found', 'flows.not_found'] as const;

/** The owner's automation that starts runs reads here which values it has to compile. @gap D2-4.4 */
export const readOwnPublishedFlow = endpoint({
  ...ROUTE,
  name: 'read_own_published_flow',
  method: 'GET',
  path: '/api/services/{id}/flows/{flowId}/published',
  summary: 'The latest published version of an own flow',
  description: 'As `read_published_flow`, for a flow of one of your services, with an account client or at the portal.',
  params: ofFlow,
  status: 200,
  result: PublishedFlow,
  refusals: [...AUTHENTICATED, ...OWN, 'flows.not_published'],
});

export const stageOwnRunFile = endpoint({
  ...ROUTE,
  ...STAGE_FILE,
  name: 'stage_own_run_file',
  path: '/api/services/{id}/flows/{flowId}/run-files',
  summary: "Store a copy of a customer's PDF, sealed to one bound user, before a run starts",
  description: 'As `stage_run_file`, for a flow of one of your services, with an account client or at the portal.',
  params: ofFlow,
  refusals: [...STAGE_FILE.refusals, 'services.not_found'],
});

export const startOwnRun = endpoint({
  ...ROUTE,
  ...START,
  name: 'start_own_run',
  path: '/api/services/{id}/flows/{flowId}/runs',
  summary: 'Start a run of an own flow',
  description: 'As `start_run`, for a flow of one of your services. Your own copies are sealed to the key of that service.',
  params: ofFlow,
  refusals: [...START.refusals, 'services.not_found'],
});

export const listOwnRuns = endpoint({
  ...ROUTE,
  ...LIST,
  name: 'list_own_runs',
  path: '/api/services/{id}/flows/{flowId}/runs',
  summary: 'The runs of an own flow, newest first',
  description: 'As `list_runs`, for one flow of one of your services.',
  params: ofFlow,
  refusals: [...LIST.refusals, ...OWN],
});

export const readOwnRun = endpoint({
  ...ROUTE,
  ...READ,
  name: 'read_own_run',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}',
  summary: 'One run of an own flow',
  description: 'As `read_run`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...READ.refusals, ...OWN],
});

export const answerOwnRun = endpoint({
  ...ROUTE,
  ...ANSWER,
  name: 'answer_own_run',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/answers',
  summary: "Take the owner's turn in an own flow",
  description: 'As `answer_run`: takes the turn of the company in a flow of one of its services.',
  params: ofOwnRun,
  refusals: [...ANSWER.refusals, ...OWN],
});

export const uploadOwnAnswerFile = endpoint({
  ...ROUTE,
  ...ANSWER_FILE,
  name: 'upload_own_answer_file',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/answer-files',
  summary: "Store one party's copy of a file answer, then submit its reference",
  description: 'As `upload_answer_file`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...ANSWER_FILE.refusals, ...OWN],
});

export const readOwnSourceFile = endpoint({
  ...ROUTE,
  ...READ_FILE,
  name: 'read_own_source_file',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/source-files/{sourceKey}',
  summary: "The owner's own copy of a connection source",
  description: 'As `read_source_file`, for a flow of one of your services.',
  params: z.object({ id: serviceId, flowId, runId, sourceKey }),
  refusals: [...READ_FILE.refusals, ...OWN],
});

export const uploadOwnGenerationInput = endpoint({
  ...ROUTE,
  ...GENERATION_INPUT,
  name: 'upload_own_generation_input',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/generate/inputs',
  summary: "Hand over a participant's PDF for one generation, under its one-time key",
  description: 'As `upload_generation_input`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...GENERATION_INPUT.refusals, ...OWN],
});

export const generateOwnDocuments = endpoint({
  ...ROUTE,
  ...GENERATE,
  name: 'generate_own_documents',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/generate',
  summary: 'Fill and issue the documents of the leaf; a repeat answers the same set',
  description: 'As `generate_documents`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...GENERATE.refusals, ...OWN],
});

export const readOwnOutputFile = endpoint({
  ...ROUTE,
  ...READ_OUTPUT,
  name: 'read_own_output_file',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/documents/{outputKey}/file',
  summary: "The owner's own copy of an output document",
  description: 'As `read_output_file`, for a flow of one of your services.',
  params: ofOwnOutput,
  refusals: [...READ_OUTPUT.refusals, ...OWN],
});

export const signOwnOutput = endpoint({
  ...ROUTE,
  ...SIGN_OUTPUT,
  name: 'sign_own_output',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/documents/{outputKey}/sign',
  summary: "Sign the owner's own copy of an output document",
  description: 'As `sign_output`, for a flow of one of your services.',
  params: ofOwnOutput,
  refusals: [...SIGN_OUTPUT.refusals, ...OWN],
});

export const acceptOwnOutput = endpoint({
  ...ROUTE,
  ...ACCEPT_OUTPUT,
  name: 'accept_own_output',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/documents/{outputKey}/accept',
  summary: "Accept the owner's own copy of an output document",
  description: 'As `accept_output`, for a flow of one of your services.',
  params: ofOwnOutput,
  refusals: [...ACCEPT_OUTPUT.refusals, ...OWN],
});

export const declineOwnOutput = endpoint({
  ...ROUTE,
  ...DECLINE_OUTPUT,
  name: 'decline_own_output',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/documents/{outputKey}/decline',
  summary: "Decline the owner's own copy of an output document; the run is cancelled",
  description: 'As `decline_output`, for a flow of one of your services.',
  params: ofOwnOutput,
  refusals: [...DECLINE_OUTPUT.refusals, ...OWN],
});

export const cancelOwnRun = endpoint({
  ...ROUTE,
  ...CANCEL,
  name: 'cancel_own_run',
  path: '/api/services/{id}/flows/{flowId}/runs/{runId}/cancel',
  summary: 'Cancel an open run of an own flow',
  description: 'As `cancel_run`, for a flow of one of your services.',
  params: ofOwnRun,
  refusals: [...CANCEL.refusals, ...OWN],
});
