import { Controller } from '@nestjs/common';
import { customerRuns as contracts, RUN_SUBJECTS, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { userOf } from '../../../access/tokens/index.ts';
import { Peers } from '../../../foundation/peers/index.ts';
import { pageOf, readCursor } from '../../../kit/paging.ts';
import { CONNECTION_SEARCH } from '../../../sharing/connections/index.ts';
import { GENERATING_MS } from '../documents/generating.ts';
import { CustomerFiles } from './customer-files.service.ts';
import { CustomerTurns } from './customer-turns.service.ts';

type AsCustomer = Caller<typeof contracts.listCustomerRuns>;

/** The runs of a customer: a person who takes part in them, or a company as a customer of another. @spec D2-4.4 @spec D2-5 */
@Controller()
export class CustomerRunsHttp {
  constructor(
    private readonly peers: Peers,
    private readonly turns: CustomerTurns,
    private readonly files: CustomerFiles,
  ) {}

  @Serves(contracts.listCustomerRuns)
  async list({ params, query: { limit, cursor, status } }: Input<typeof contracts.listCustomerRuns>, caller: AsCustomer) {
    const position = readCursor(cursor);
    const after = position ? { at: position.at.toISOString(), id: position.id } : null;
    const wanted = { user_id: userOf(caller), connection_id: params.connectionId, limit, after, status: status ?? null };
    const { runs } = await this.peers.find(RUN_SUBJECTS.list, wanted, CONNECTION_SEARCH);
    const { items, next_cursor } = pageOf(runs, limit, ({ at, run }) => ({ at: new Date(at), id: run.id }));
    return { items: items.map(({ run }) => run), next_cursor };
  }

  @Serves(contracts.readCustomerRun)
  read({ params }: Input<typeof contracts.readCustomerRun>, caller: AsCustomer) {
    return this.peers.find(RUN_SUBJECTS.read, requestOf(params, caller), CONNECTION_SEARCH);
  }

  @Serves(contracts.answerCustomerRun)
  answer({ params, body }: Input<typeof contracts.answerCustomerRun>, caller: AsCustomer) {
    return this.turns.answer(requestOf(params, caller), body);
  }

  @Serves(contracts.uploadCustomerAnswerFile)
  upload({ params, body }: Input<typeof contracts.uploadCustomerAnswerFile>, caller: AsCustomer, { streamed }: Call) {
    return this.files.uploadAnswer(requestOf(params, caller), body, streamed);
  }

  @Serves(contracts.readCustomerAnswerFile)
  readFile({ params }: Input<typeof contracts.readCustomerAnswerFile>, caller: AsCustomer) {
    return this.files.read(requestOf(params, caller), params.file);
  }

  @Serves(contracts.readStepImage)
  readImage({ params }: Input<typeof contracts.readStepImage>, caller: AsCustomer) {
    return this.files.image(requestOf(params, caller), params.assetKey);
  }

  @Serves(contracts.uploadCustomerGenerationInput)
  uploadInput({ params, body }: Input<typeof contracts.uploadCustomerGenerationInput>, caller: AsCustomer, { streamed }: Call) {
    return this.files.uploadInput(requestOf(params, caller), body, streamed);
  }

  @Serves(contracts.generateCustomerDocuments)
  generate({ params, body }: Input<typeof contracts.generateCustomerDocuments>, caller: AsCustomer) {
    const wanted = { ...requestOf(params, caller), generation: body };
    return this.peers.find(RUN_SUBJECTS.generate, wanted, CONNECTION_SEARCH, { timeout: GENERATING_MS });
  }

  /** Issues a pass, signed by the region of the run: the forwarder accepts the passes of every region. */
  @Serves(contracts.issueCustomerPluginPass)
  pass({ params }: Input<typeof contracts.issueCustomerPluginPass>, caller: AsCustomer) {
    return this.peers.find(RUN_SUBJECTS.pluginPass, requestOf(params, caller), CONNECTION_SEARCH);
  }
}

const requestOf = ({ connectionId, runId }: { connectionId: string; runId: string }, caller: AsCustomer) => ({
  user_id: userOf(caller),
  connection_id: connectionId,
  run_id: runId,
});
