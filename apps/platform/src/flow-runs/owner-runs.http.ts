import { Controller, Inject } from '@nestjs/common';
import { ownerRuns as contracts, type Caller, type Input } from '@cds/contracts';
import { Serves, type Call } from '@cds/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { PublishedFlows } from '../flows/index.ts';
import { findService, type OwnService } from '../services/index.ts';
import { OwnerRuns, type OwnRun } from './owner-runs.service.ts';

type Company = Caller<typeof contracts.listOwnRuns>;

/** Runs of the company's own services, used by its automation or at the portal. @spec D2-4.4 @spec D2-5 */
@Controller()
export class OwnerRunsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly flows: PublishedFlows,
    private readonly runs: OwnerRuns,
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
    return this.runs.read(await this.run(params, caller));
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

  private async run(params: { id: string; flowId: string; runId: string }, caller: Company): Promise<OwnRun> {
    return { own: await this.flow(params, caller), run_id: params.runId, flow_id: params.flowId };
  }
}
