import {
  customerRuns,
  ownerRuns,
  runs,
  type Generated,
  type Generation,
  type GenerationInput,
  type Output,
  type Request,
} from '@codase/contracts';
import type { IssuedDocument } from './documents.ts';
import type { CallOptions, Stranger } from './stranger.ts';

export type SubmittedTurn = Request<typeof runs.answerRun>['body'];
export type UploadedCopy = Request<typeof runs.uploadAnswerFile>['body'];
type ReadRun = Output<typeof runs.readRun>;
type ListQuery = Request<typeof runs.listRuns>['query'];
type Asks = Pick<Stranger, 'asks'>;
type Signature = Request<typeof runs.signOutput>['body'];
type Acceptance = Request<typeof runs.acceptOutput>['body'];

/** What the owner of a run does with its own copy of an output. @spec D2-4.3 */
interface OutputSide {
  read(id: string, outputKey: string): Promise<Output<typeof runs.readOutputFile>>;
  sign(id: string, outputKey: string, body: Signature): Promise<IssuedDocument>;
  accept(id: string, outputKey: string, body: Acceptance): Promise<IssuedDocument>;
  decline(id: string, outputKey: string, body?: Request<typeof runs.declineOutput>['body']): Promise<IssuedDocument>;
}

/** One side that plays a run, with its own routes. @spec D2-4.4 */
export interface RunSide {
  read(id: string, options?: CallOptions): Promise<ReadRun>;
  answer(id: string, body: SubmittedTurn, options?: CallOptions): Promise<ReadRun>;
  upload(id: string, body: UploadedCopy, options?: CallOptions): Promise<{ file: string }>;
  /** Absent for the automation client of a company, which gets no pass. */
  pass?(id: string): Promise<Output<typeof runs.issuePluginPass>>;
  list(query?: ListQuery): Promise<Output<typeof runs.listRuns>>;
  uploadInput(id: string, body: GenerationInput): Promise<{ input: string }>;
  generate(id: string, body: Generation): Promise<Generated>;
}

/** A side of the company that owns the run. A customer acts on its copies as on any document that it holds. */
export type OwnerSide = RunSide & { outputs: OutputSide };

export const serviceSide = (backend: Asks): OwnerSide => ({
  read: (runId, options) => backend.asks(runs.readRun, { params: { runId } }, options),
  answer: (runId, body, options) => backend.asks(runs.answerRun, { params: { runId }, body }, options),
  upload: (runId, body, options) => backend.asks(runs.uploadAnswerFile, { params: { runId }, body }, options),
  pass: (runId) => backend.asks(runs.issuePluginPass, { params: { runId } }),
  list: (query = {}) => backend.asks(runs.listRuns, { query }),
  uploadInput: (runId, body) => backend.asks(runs.uploadGenerationInput, { params: { runId }, body }),
  generate: (runId, body) => backend.asks(runs.generateDocuments, { params: { runId }, body }),
  outputs: {
    read: (runId, outputKey) => backend.asks(runs.readOutputFile, { params: { runId, outputKey } }),
    sign: (runId, outputKey, body) => backend.asks(runs.signOutput, { params: { runId, outputKey }, body }),
    accept: (runId, outputKey, body) => backend.asks(runs.acceptOutput, { params: { runId, outputKey }, body }),
    decline: (runId, outputKey, body = {}) => backend.asks(runs.declineOutput, { params: { runId, outputKey }, body }),
  },
});

export const ownerSide = (automation: Asks, of: { id: string; flowId: string }): OwnerSide => ({
  read: (runId, options) => automation.asks(ownerRuns.readOwnRun, { params: { ...of, runId } }, options),
  answer: (runId, body, options) => automation.asks(ownerRuns.answerOwnRun, { params: { ...of, runId }, body }, options),
  upload: (runId, body, options) => automation.asks(ownerRuns.uploadOwnAnswerFile, { params: { ...of, runId }, body }, options),
  list: (query = {}) => automation.asks(ownerRuns.listOwnRuns, { params: of, query }),
  uploadInput: (runId, body) => automation.asks(ownerRuns.uploadOwnGenerationInput, { params: { ...of, runId }, body }),
  generate: (runId, body) => automation.asks(ownerRuns.generateOwnDocuments, { params: { ...of, runId }, body }),
  outputs: {
    read: (runId, outputKey) => automation.asks(ownerRuns.readOwnOutputFile, { params: { ...of, runId, outputKey } }),
    sign: (runId, outputKey, body) => automation.asks(ownerRuns.signOwnOutput, { params: { ...of, runId, outputKey }, body }),
    accept: (runId, outputKey, body) => automation.asks(ownerRuns.acceptOwnOutput, { params: { ...of, runId, outputKey }, body }),
    decline: (runId, outputKey, body = {}) => automation.asks(ownerRuns.declineOwnOutput, { params: { ...of, runId, outputKey }, body }),
  },
});

export const customerSide = (customer: Asks, { id: connectionId }: { id: string }): RunSide => ({
  read: (runId, options) => customer.asks(customerRuns.readCustomerRun, { params: { connectionId, runId } }, options),
  answer: (runId, body, options) => customer.asks(customerRuns.answerCustomerRun, { params: { connectionId, runId }, body }, options),
  upload: (runId, body, options) =>
    customer.asks(customerRuns.uploadCustomerAnswerFile, { params: { connectionId, runId }, body }, options),
  pass: (runId) => customer.asks(customerRuns.issueCustomerPluginPass, { params: { connectionId, runId } }),
  list: (query = {}) => customer.asks(customerRuns.listCustomerRuns, { params: { connectionId }, query }),
  uploadInput: (runId, body) => customer.asks(customerRuns.uploadCustomerGenerationInput, { params: { connectionId, runId }, body }),
  generate: (runId, body) => customer.asks(customerRuns.generateCustomerDocuments, { params: { connectionId, runId }, body }),
});
