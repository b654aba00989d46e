import { Controller } from '@nestjs/common';
import { runs as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { actFile } from '../documents/index.ts';
import { OwnerDocuments } from './documents/owner-documents.service.ts';
import { OwnerRuns } from './owner-runs.service.ts';

type Service = Caller<typeof contracts.listRuns>;

/** The runs of the service whose client calls. @spec D2-4.1 @spec D2-4.2 @spec D2-5 */
@Controller()
export class RunsHttp {
  constructor(
    private readonly runs: OwnerRuns,
    private readonly documents: OwnerDocuments,
  ) {}

  @Serves(contracts.stageRunFile)
  stage({ params: { flowId }, body }: Input<typeof contracts.stageRunFile>, caller: Service, { streamed }: Call) {
    return this.runs.stage(caller, flowId, body, streamed);
  }

  @Serves(contracts.startRun)
  start({ params: { flowId }, body }: Input<typeof contracts.startRun>, caller: Service) {
    return this.runs.start(caller, flowId, body);
  }

  @Serves(contracts.listRuns)
  list({ query }: Input<typeof contracts.listRuns>, caller: Service) {
    return this.runs.list(caller, {}, query);
  }

  @Serves(contracts.readRun)
  read({ params: { runId } }: Input<typeof contracts.readRun>, caller: Service) {
    return this.runs.read({ own: caller, run_id: runId });
  }

  @Serves(contracts.answerRun)
  answer({ params: { runId }, body }: Input<typeof contracts.answerRun>, caller: Service) {
    return this.runs.answer({ own: caller, run_id: runId }, body);
  }

  @Serves(contracts.uploadAnswerFile)
  upload({ params: { runId }, body }: Input<typeof contracts.uploadAnswerFile>, caller: Service, { streamed }: Call) {
    return this.runs.upload({ own: caller, run_id: runId }, body, streamed);
  }

  @Serves(contracts.readAnswerFile)
  readAnswerFile({ params: { runId, slug } }: Input<typeof contracts.readAnswerFile>, caller: Service) {
    return this.runs.answerFile({ own: caller, run_id: runId }, slug);
  }

  @Serves(contracts.readSourceFile)
  readSourceFile({ params: { runId, sourceKey } }: Input<typeof contracts.readSourceFile>, caller: Service) {
    return this.runs.sourceFile({ own: caller, run_id: runId }, sourceKey);
  }

  @Serves(contracts.uploadGenerationInput)
  uploadInput({ params: { runId }, body }: Input<typeof contracts.uploadGenerationInput>, caller: Service, { streamed }: Call) {
    return this.documents.uploadInput({ own: caller, run_id: runId }, body, streamed);
  }

  @Serves(contracts.generateDocuments)
  generate({ params: { runId }, body }: Input<typeof contracts.generateDocuments>, caller: Service) {
    return this.documents.generate({ own: caller, run_id: runId }, body);
  }

  @Serves(contracts.readOutputFile)
  readOutput({ params: { runId, outputKey } }: Input<typeof contracts.readOutputFile>, caller: Service) {
    return this.documents.file({ own: caller, run_id: runId }, outputKey);
  }

  @Serves(contracts.signOutput)
  sign(
    { params: { runId, outputKey }, body: { otk, file, party_key, ...signature } }: Input<typeof contracts.signOutput>,
    caller: Service,
    { streamed }: Call,
  ) {
    const act = { kind: 'sign', ...signature, signer_name_verified: false } as const;
    return this.documents.act({ own: caller, run_id: runId }, { output_key: outputKey, party_key }, act, actFile(otk, file, streamed));
  }

  @Serves(contracts.acceptOutput)
  accept(
    { params: { runId, outputKey }, body: { otk, file, party_key } }: Input<typeof contracts.acceptOutput>,
    caller: Service,
    { streamed }: Call,
  ) {
    const copy = { output_key: outputKey, party_key };
    return this.documents.act({ own: caller, run_id: runId }, copy, { kind: 'accept' }, actFile(otk, file, streamed));
  }

  @Serves(contracts.declineOutput)
  decline({ params: { runId, outputKey }, body: { party_key } }: Input<typeof contracts.declineOutput>, caller: Service) {
    return this.documents.act({ own: caller, run_id: runId }, { output_key: outputKey, party_key }, { kind: 'decline' });
  }

  @Serves(contracts.issuePluginPass)
  pass({ params: { runId } }: Input<typeof contracts.issuePluginPass>, caller: Service) {
    return this.runs.pass({ own: caller, run_id: runId });
  }

  @Serves(contracts.cancelRun)
  cancel({ params: { runId } }: Input<typeof contracts.cancelRun>, caller: Service) {
    return this.runs.cancel({ own: caller, run_id: runId });
  }
}
