import { Controller, Inject } from '@nestjs/common';
import { ownerRuns as contracts, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { actFile } from '../documents/index.ts';
import { PublishedFlows } from '../../services/flows/index.ts';
import { findService, type OwnService } from '../../services/services/index.ts';
import { OwnerDocuments } from './documents/owner-documents.service.ts';
import { OwnerRuns } from './owner-runs.service.ts';
import type { OwnRun } from './find-run.store.ts';

type Company = Caller<typeof contracts.listOwnRuns>;
type OfRun = Input<typeof contracts.readOwnRun>['params'];

/** Runs of the company's own services, used by its automation or at the portal. @spec D2-4.4 @spec D2-5 */
@Controller()
export class OwnerRunsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly flows: PublishedFlows,
    private readonly runs: OwnerRuns,
    private readonly documents: OwnerDocuments,
  ) {}

  @Serves(contracts.stageOwnRunFile)
  async stage({ params: { id, flowId }, body }: Input<typeof contracts.stageOwnRunFile>, caller: Company, { streamed }: Call) {
    return this.runs.stage(await this.service(id, caller), flowId, body, streamed);
  }

  @Serves(contracts.startOwnRun)
  async start({ params: { id, flowId }, body }: Input<typeof contracts.startOwnRun>, caller: Company) {
    return this.runs.start(await this.service(id, caller), flowId, body);
  }

  @Serves(contracts.listOwnRuns)
  async list({ params, query }: Input<typeof contracts.listOwnRuns>, caller: Company) {
    return this.runs.list(await this.flow(params, caller), { flow_id: params.flowId }, query);
  }

  @Serves(contracts.readOwnRun)
  async read({ params }: Input<typeof contracts.readOwnRun>, caller: Company) {
    return this.reading(params, caller, (run) => this.runs.read(run));
  }

  @Serves(contracts.answerOwnRun)
  async answer({ params, body }: Input<typeof contracts.answerOwnRun>, caller: Company) {
    return this.runs.answer(await this.run(params, caller), body);
  }

  @Serves(contracts.uploadOwnAnswerFile)
  async upload({ params, body }: Input<typeof contracts.uploadOwnAnswerFile>, caller: Company, { streamed }: Call) {
    return this.runs.upload(await this.run(params, caller), body, streamed);
  }

  @Serves(contracts.readOwnSourceFile)
  async readSourceFile({ params }: Input<typeof contracts.readOwnSourceFile>, caller: Company) {
    return this.runs.sourceFile(await this.run(params, caller), params.sourceKey);
  }

  @Serves(contracts.uploadOwnGenerationInput)
  async uploadInput({ params, body }: Input<typeof contracts.uploadOwnGenerationInput>, caller: Company, { streamed }: Call) {
    return this.documents.uploadInput(await this.run(params, caller), body, streamed);
  }

  @Serves(contracts.generateOwnDocuments)
  async generate({ params, body }: Input<typeof contracts.generateOwnDocuments>, caller: Company) {
    return this.documents.generate(await this.run(params, caller), body);
  }

  @Serves(contracts.readOwnOutputFile)
  async readOutput({ params }: Input<typeof contracts.readOwnOutputFile>, caller: Company) {
    return this.reading(params, caller, (run) => this.documents.file(run, params.outputKey));
  }

  @Serves(contracts.signOwnOutput)
  async sign(
    { params, body: { otk, file, party_key, ...signature } }: Input<typeof contracts.signOwnOutput>,
    caller: Company,
    { streamed }: Call,
  ) {
    const [copy, act] = [{ output_key: params.outputKey, party_key }, { kind: 'sign', ...signature, signer_name_verified: false } as const];
    return this.documents.act(await this.run(params, caller), copy, act, actFile(otk, file, streamed));
  }

  @Serves(contracts.acceptOwnOutput)
  async accept({ params, body: { otk, file, party_key } }: Input<typeof contracts.acceptOwnOutput>, caller: Company, { streamed }: Call) {
    const copy = { output_key: params.outputKey, party_key };
    return this.documents.act(await this.run(params, caller), copy, { kind: 'accept' }, actFile(otk, file, streamed));
  }

  @Serves(contracts.declineOwnOutput)
  async decline({ params, body: { party_key } }: Input<typeof contracts.declineOwnOutput>, caller: Company) {
    return this.documents.act(await this.run(params, caller), { output_key: params.outputKey, party_key }, { kind: 'decline' });
  }

  @Serves(contracts.cancelOwnRun)
  async cancel({ params }: Input<typeof contracts.cancelOwnRun>, caller: Company) {
    return this.runs.cancel(await this.run(params, caller));
  }

  private async service(service_id: string, { company_user_id }: Company): Promise<OwnService> {
    const own = { company_user_id, service_id };
    await findService(this.db, own);
    return own;
  }

  private async flow({ id, flowId }: { id: string; flowId: string }, caller: Company): Promise<OwnService> {
    const own = await this.service(id, caller);
    await this.flows.exists(this.db, own, flowId);
    return own;
  }

  private async run(params: OfRun, caller: Company): Promise<OwnRun> {
    return { own: await this.flow(params, caller), run_id: params.runId, flow_id: params.flowId };
  }

  /** Reads something of a run, which outlasts its service and its flow. Where there is no such run, says what is not there. @spec D2-8 */
  private async reading<T>(params: OfRun, caller: Company, read: (run: OwnRun) => Promise<T>): Promise<T> {
    const own = { company_user_id: caller.company_user_id, service_id: params.id };
    try {
      return await read({ own, run_id: params.runId, flow_id: params.flowId });
    } catch (error) {
      if (error instanceof Refusal && error.key === 'flows.run_not_found') await this.run(params, caller);
      throw error;
    }
  }
}
