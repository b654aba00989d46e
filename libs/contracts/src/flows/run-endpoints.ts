import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { SealedFile } from '../core/file.ts';
import { flowId, ofRun, runId } from '../core/params.ts';
import { AUTHENTICATED } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import { PublishedFlow } from './flow-shapes.ts';
import { fileSlug, sourceKey } from './params.ts';
import {
  ANSWER,
  ANSWER_FILE,
  CANCEL,
  GENERATE,
  GENERATION_INPUT,
  LIST,
  PLUGIN_PASS,
  READ,
  READ_FILE,
  STAGE_FILE,
  START,
} from './run-parts.ts';

/** Runs of the service behind the token. @spec D2-5 */
const ROUTE = { tag: 'contract flows', at: ['region'], callers: ['service'] } as const;
const ofFlow = z.object({ flowId });

export const readPublishedFlow = endpoint({
  ...ROUTE,
  name: 'read_published_flow',
  method: 'GET',
  path: '/api/company-data/flows/{flowId}/published',
  spec: 'D2-4.1',
  summary: 'The latest published version of a flow: what a run will be pinned to',
  params: ofFlow,
  status: 200,
  result: PublishedFlow,
  refusals: [...AUTHENTICATED, 'flows.not_found', 'flows.not_published'],
});

export const stageRunFile = endpoint({
  ...ROUTE,
  ...STAGE_FILE,
  name: 'stage_run_file',
  path: '/api/company-data/flows/{flowId}/run-files',
  spec: 'D2-4.1',
  summary: "Store a copy of a customer's PDF, sealed to one bound user, before a run starts",
  params: ofFlow,
});

export const startRun = endpoint({
  ...ROUTE,
  ...START,
  name: 'start_run',
  path: '/api/company-data/flows/{flowId}/runs',
  spec: 'D2-4.1',
  summary: 'Start a run of a flow with connected customers',
  params: ofFlow,
});

export const listRuns = endpoint({
  ...ROUTE,
  ...LIST,
  name: 'list_runs',
  path: '/api/company-data/flow-runs',
  spec: 'D2-4.1',
  summary: "The service's runs, newest first",
});

export const readRun = endpoint({
  ...ROUTE,
  ...READ,
  name: 'read_run',
  path: '/api/company-data/flow-runs/{runId}',
  spec: 'D2-4.1',
  summary: 'One run with its pinned definition and its answers as ciphertext',
  params: ofRun,
});

export const answerRun = endpoint({
  ...ROUTE,
  ...ANSWER,
  name: 'answer_run',
  path: '/api/company-data/flow-runs/{runId}/answers',
  spec: 'D2-4.2',
  summary: "Take the company's turn: a copy of each answer for every party, and the next node",
  params: ofRun,
});

export const uploadAnswerFile = endpoint({
  ...ROUTE,
  ...ANSWER_FILE,
  name: 'upload_answer_file',
  path: '/api/company-data/flow-runs/{runId}/answer-files',
  spec: 'D2-4.2',
  summary: "Store one party's copy of a file answer, then submit its reference",
  params: ofRun,
});

export const readAnswerFile = endpoint({
  ...ROUTE,
  ...READ_FILE,
  name: 'read_answer_file',
  path: '/api/company-data/flow-runs/{runId}/slots/{slug}/file',
  spec: 'D2-4.2',
  summary: "The company's own copy of a file answer",
  params: z.object({ runId, slug: fileSlug }),
});

export const readSourceFile = endpoint({
  ...ROUTE,
  ...READ_FILE,
  name: 'read_source_file',
  path: '/api/company-data/flow-runs/{runId}/source-files/{sourceKey}',
  spec: 'D2-4.2',
  summary: "The company's own copy of a connection source",
  params: z.object({ runId, sourceKey }),
});

export const uploadGenerationInput = endpoint({
  ...ROUTE,
  ...GENERATION_INPUT,
  name: 'upload_generation_input',
  path: '/api/company-data/flow-runs/{runId}/generate/inputs',
  spec: 'D2-4.3',
  summary: "Hand over a participant's PDF for one generation, under its one-time key",
  params: ofRun,
});

export const generateDocuments = endpoint({
  ...ROUTE,
  ...GENERATE,
  name: 'generate_documents',
  path: '/api/company-data/flow-runs/{runId}/generate',
  spec: 'D2-4.3',
  summary: 'Fill and issue the documents of the leaf; a repeat answers the same set',
  params: ofRun,
});

export const readOutputFile = endpoint({
  ...ROUTE,
  name: 'read_output_file',
  method: 'GET',
  path: '/api/company-data/flow-runs/{runId}/documents/{outputKey}/file',
  spec: 'D2-4.3',
  summary: "The company's own copy of an output document",
  params: z.object({ runId, outputKey: idOr('flows.no_document') }),
  status: 200,
  result: SealedFile,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'flows.run_not_found', 'flows.no_document'],
});

export const issuePluginPass = endpoint({
  ...ROUTE,
  ...PLUGIN_PASS,
  name: 'issue_plugin_pass',
  path: '/api/company-data/flow-runs/{runId}/plugin-pass',
  spec: 'D2-4.4',
  summary: "A pass for the plugins of the company's step",
  params: ofRun,
});

export const cancelRun = endpoint({
  ...ROUTE,
  ...CANCEL,
  name: 'cancel_run',
  path: '/api/company-data/flow-runs/{runId}/cancel',
  spec: 'D2-4.4',
  summary: 'Cancel an open run; every open or waiting copy ends',
  params: ofRun,
});
