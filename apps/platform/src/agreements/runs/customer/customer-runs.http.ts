import { Controller } from '@nestjs/common';
import { customerRuns as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { userOf } from '../../../access/tokens/index.ts';
import { HeldGeneration } from '../documents/held-generation.service.ts';
import { HeldRuns } from './held-runs.service.ts';

type AsCustomer = Caller<typeof contracts.listCustomerRuns>;

/** The runs of a customer: a person who takes part in them, or a company as a customer of another. @spec D2-4.4 @spec D2-5 */
@Controller()
export class CustomerRunsHttp {
  constructor(
    private readonly runs: HeldRuns,
    private readonly documents: HeldGeneration,
  ) {}

  @Serves(contracts.listCustomerRuns)
  list({ params: { connectionId }, query }: Input<typeof contracts.listCustomerRuns>, caller: AsCustomer) {
    return this.runs.list({ user_id: userOf(caller), connection_id: connectionId }, query);
  }

  @Serves(contracts.readCustomerRun)
  read({ params }: Input<typeof contracts.readCustomerRun>, caller: AsCustomer) {
    return this.runs.read(requestOf(params, caller));
  }

  @Serves(contracts.answerCustomerRun)
  answer({ params, body }: Input<typeof contracts.answerCustomerRun>, caller: AsCustomer) {
    return this.runs.answer(requestOf(params, caller), body);
  }

  @Serves(contracts.uploadCustomerAnswerFile)
  upload({ params, body }: Input<typeof contracts.uploadCustomerAnswerFile>, caller: AsCustomer, { streamed }: Call) {
    return this.runs.upload(requestOf(params, caller), body, streamed);
  }

  @Serves(contracts.readCustomerAnswerFile)
  readFile({ params }: Input<typeof contracts.readCustomerAnswerFile>, caller: AsCustomer) {
    return this.runs.file(requestOf(params, caller), params.file);
  }

  @Serves(contracts.readStepImage)
  readImage({ params }: Input<typeof contracts.readStepImage>, caller: AsCustomer) {
    return this.runs.image(requestOf(params, caller), params.assetKey);
  }

  @Serves(contracts.uploadCustomerGenerationInput)
  uploadInput({ params, body }: Input<typeof contracts.uploadCustomerGenerationInput>, caller: AsCustomer, { streamed }: Call) {
    return this.documents.uploadInput(requestOf(params, caller), body, streamed);
  }

  @Serves(contracts.generateCustomerDocuments)
  generate({ params, body }: Input<typeof contracts.generateCustomerDocuments>, caller: AsCustomer) {
    return this.documents.generate(requestOf(params, caller), body);
  }

  @Serves(contracts.issueCustomerPluginPass)
  pass({ params }: Input<typeof contracts.issueCustomerPluginPass>, caller: AsCustomer) {
    return this.runs.pass(requestOf(params, caller));
  }
}

const requestOf = ({ connectionId, runId }: { connectionId: string; runId: string }, caller: AsCustomer) => ({
  user_id: userOf(caller),
  connection_id: connectionId,
  run_id: runId,
});
