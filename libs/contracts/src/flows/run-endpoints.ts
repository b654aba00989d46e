import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { flowId, ofRun, runId } from '../core/params.ts';
import { PublishedFlow, PublishedFlowSummary } from './flow-shapes.ts';
import { fileSlug, outputKey, sourceKey } from './params.ts';
import {
  ACCEPT_OUTPUT,
  ANSWER,
  ANSWER_FILE,
  CANCEL,
  DECLINE_OUTPUT,
  GENERATE,
  GENERATION_INPUT,
  LIST,
  PLUGIN_PASS,
  READ,
  READ_FILE,
  READ_OUTPUT,
  SIGN_OUTPUT,
  STAGE_FILE,
  START,
} from './run-parts.ts';

/** Runs of the service behind the token. @spec D2-5 */
const ROUTE = { tag: 'contract flows', at: ['region'], callers: ['service'] } as const;
const OF_RUN = { ...ROUTE, params: ofRun } as const;
const ofFlow = z.object({ flowId });
const ofOutput = z.object({ runId, outputKey });
const OF_OUTPUT = { ...ROUTE, params: ofOutput } as const;

/** A service that starts runs has to find the flows. @gap D2-4.1 */
export const listPublishedFlows = endpoint('list_published_flows', 'GET /api/company-data/flows', {
  ...ROUTE,
  spec: 'D2-4.1',
  summary: 'The flows of the service that runs can be started of',
  description:
    'The published flows of the service with their names and latest versions, the oldest first, in pages. A name may be that of ' +
    'several flows; the id is not.',
  query: Paging,
  result: page(PublishedFlowSummary),
  refusals: ['request.invalid'],
});

export const readPublishedFlow = endpoint('read_published_flow', 'GET /api/company-data/flows/{flowId}/published', {
  ...ROUTE,
  spec: 'D2-4.1',
  summary: 'The latest published version of a flow: what a run will be pinned to',
  description:
    'The version that a run would be pinned to now, with its definition and the types of the request rows. Pass `version` as ' +
    '`flow_version` when you start the run.',
  params: ofFlow,
  result: PublishedFlow,
  refusals: ['flows.not_found', 'flows.not_published'],
});

export const stageRunFile = endpoint('stage_run_file', 'POST /api/company-data/flows/{flowId}/run-files', {
  ...ROUTE,
  ...STAGE_FILE,
  spec: 'D2-4.1',
  summary: "Store a copy of a customer's PDF, sealed to one bound user, before a run starts",
  description:
    "Before a run starts: stores one copy of a customer's PDF, sealed to one bound user. Stage a copy for each bound user, your " +
    'own company included, and name them in `source_files` when you start the run.',
  params: ofFlow,
});

export const startRun = endpoint('start_run', 'POST /api/company-data/flows/{flowId}/runs', {
  ...ROUTE,
  ...START,
  spec: 'D2-4.1',
  summary: 'Start a run of a flow with connected customers',
  description:
    'Starts a run with the customers that `target` or `targets` bind to the parties. It is pinned to the published version for its ' +
    'whole life. When a newer version was published meanwhile, read it, compile again and repeat once. The answers about ' +
    '`source_files` and `tag_values` name exactly what is missing or stale, and nothing was written. The same `idempotency_key` for the ' +
    'same flow is the same run, whatever else the body holds: a call whose answer was lost can be repeated.',
  params: ofFlow,
});

export const listRuns = endpoint('list_runs', 'GET /api/company-data/flow-runs', {
  ...ROUTE,
  ...LIST,
  spec: 'D2-4.1',
  summary: "The service's runs, newest first",
  description:
    'The runs of the service, newest first, without their answers. Poll with `status=awaiting_company` to find your turns, or ' +
    'follow `flow_run_turn` on the feed.',
});

export const readRun = endpoint('read_run', 'GET /api/company-data/flow-runs/{runId}', {
  ...OF_RUN,
  ...READ,
  spec: 'D2-4.1',
  summary: 'One run with its pinned definition and its answers as ciphertext',
  description:
    'One run as it stands: whose turn it is, the definition it is pinned to, and the answers as ciphertext. Open the copies sealed ' +
    'to your key, and route by this definition, not by the flow as it is published today.',
});

export const answerRun = endpoint('answer_run', 'POST /api/company-data/flow-runs/{runId}/answers', {
  ...OF_RUN,
  ...ANSWER,
  spec: 'D2-4.2',
  summary: "Take the company's turn: a copy of each answer for every party, and the next node",
  description:
    'Submits the answers of the current step, each sealed once for every bound party, together with `next_node` or `leaf: true`. ' +
    'The server cannot read answers: you choose the next node, and it checks only that the node follows. When it is not your turn ' +
    'any more, read the run again.',
});

export const uploadAnswerFile = endpoint('upload_answer_file', 'POST /api/company-data/flow-runs/{runId}/answer-files', {
  ...OF_RUN,
  ...ANSWER_FILE,
  spec: 'D2-4.2',
  summary: "Store one party's copy of a file answer, then submit its reference",
  description:
    "Stores one party's copy of a file before the answer is submitted. Upload a sealed envelope for each bound party, then submit " +
    `\`{"_enc_file": file}\` as that party's value.`,
});

export const readAnswerFile = endpoint('read_answer_file', 'GET /api/company-data/flow-runs/{runId}/slots/{slug}/file', {
  ...ROUTE,
  ...READ_FILE,
  spec: 'D2-4.2',
  summary: "The company's own copy of a file answer",
  description: 'Your copy of a file that was answered in the run, sealed to the service key. The plaintext is the file envelope.',
  params: z.object({ runId, slug: fileSlug }),
});

export const readSourceFile = endpoint('read_source_file', 'GET /api/company-data/flow-runs/{runId}/source-files/{sourceKey}', {
  ...ROUTE,
  ...READ_FILE,
  spec: 'D2-4.2',
  summary: "The company's own copy of a connection source",
  description:
    'Your copy of a file that was taken from a connection when the run began, sealed to the service key. Encode the colons of the ' +
    'key in the path.',
  params: z.object({ runId, sourceKey }),
});

export const uploadGenerationInput = endpoint('upload_generation_input', 'POST /api/company-data/flow-runs/{runId}/generate/inputs', {
  ...OF_RUN,
  ...GENERATION_INPUT,
  spec: 'D2-4.3',
  summary: "Hand over a participant's PDF for one generation, under its one-time key",
  description:
    'Hands over a PDF that a participant supplied, encrypted under the one-time key of the generate call that follows. It is ' +
    'opened in memory for that call and then discarded.',
});

export const generateDocuments = endpoint('generate_documents', 'POST /api/company-data/flow-runs/{runId}/generate', {
  ...OF_RUN,
  ...GENERATE,
  spec: 'D2-4.3',
  summary: 'Fill and issue the documents of the leaf; a repeat answers the same set',
  description:
    'Fills the templates of a document leaf and issues one copy to every participant. The values travel under a one-time key, are ' +
    'used in memory, and are not stored. Repeating it answers the documents that exist. When no rule matches or a PDF cannot be ' +
    'filled the run stays where it is: change what is sent, or cancel the run.',
});

export const readOutputFile = endpoint('read_output_file', 'GET /api/company-data/flow-runs/{runId}/documents/{outputKey}/file', {
  ...OF_OUTPUT,
  ...READ_OUTPUT,
  spec: 'D2-4.3',
  summary: "The company's own copy of an output document",
  description: 'Your copy of a document that the run produced, sealed to the service key. An output whose rules did not match has none.',
});

export const signOutput = endpoint('sign_output', 'POST /api/company-data/flow-runs/{runId}/documents/{outputKey}/sign', {
  ...OF_OUTPUT,
  ...SIGN_OUTPUT,
  spec: 'D2-3',
  summary: "Sign the company's own copy of an output document",
  description:
    'Signs for the company when the signing line has come to its copy. The act carries the PDF under a one-time key, as everywhere: the ' +
    'server checks its digest, and the last act on an output seals it and replaces the copy of every party.',
});

export const acceptOutput = endpoint('accept_output', 'POST /api/company-data/flow-runs/{runId}/documents/{outputKey}/accept', {
  ...OF_OUTPUT,
  ...ACCEPT_OUTPUT,
  spec: 'D2-3',
  summary: "Accept the company's own copy of an output document",
  description: 'As `sign_output`, where the rule asks the company to accept.',
});

export const declineOutput = endpoint('decline_output', 'POST /api/company-data/flow-runs/{runId}/documents/{outputKey}/decline', {
  ...OF_OUTPUT,
  ...DECLINE_OUTPUT,
  spec: 'D2-3',
  summary: "Decline the company's own copy of an output document; the run is cancelled",
  description: 'Turns the document down for the company, when the signing line has come to its copy. The whole run is cancelled.',
});

export const issuePluginPass = endpoint('issue_plugin_pass', 'POST /api/company-data/flow-runs/{runId}/plugin-pass', {
  ...OF_RUN,
  ...PLUGIN_PASS,
  spec: 'D2-4.4',
  summary: "A pass for the plugins of the company's step",
  description:
    'A short-lived pass for the plugins of your current step, with their public keys and what they ask. Send it in the body of a ' +
    'call to the forwarder. A step without plugins gets an empty list.',
});

export const cancelRun = endpoint('cancel_run', 'POST /api/company-data/flow-runs/{runId}/cancel', {
  ...OF_RUN,
  ...CANCEL,
  spec: 'D2-4.4',
  summary: 'Cancel an open run; every open or waiting copy ends',
  description: 'Ends a run for everybody; documents that are not signed yet end with it. A run that is over already is refused.',
});
