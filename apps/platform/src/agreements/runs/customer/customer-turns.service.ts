import { Inject, Injectable } from '@nestjs/common';
import { Refusal, RUN_SUBJECTS, type customerRuns, type CustomerRun, type Input, type SentTurn } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { Peers } from '../../../foundation/peers/index.ts';
import { CONNECTION_SEARCH, listVerifications } from '../../../sharing/connections/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { ContactFields, FieldTypesView } from '../../../services/registry/index.ts';
import { Attestations } from '../../../services/verification-providers/index.ts';
import type { CustomersRun } from '../find-run.store.ts';
import { sendTurn } from '../turns/send-turn.ts';

type Turn = Input<typeof customerRuns.answerCustomerRun>['body'];

/** The turns of customers who are at home here, in whichever region the run's company lives. @spec D2-4.4 @gap D1-1 */
@Injectable()
export class CustomerTurns {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
    private readonly attestations: Attestations,
  ) {}

  async answer(request: CustomersRun, given: Turn): Promise<CustomerRun> {
    const turn = await this.sent(request.user_id, given);
    if (turn.answers.some(({ source_field }) => source_field !== undefined)) await this.checkSources(request, turn);
    const { user_id } = request;
    return this.peers.search(RUN_SUBJECTS.answer, request, CONNECTION_SEARCH, (region) => {
      if (region === this.peers.region) return this.peers.call(RUN_SUBJECTS.answer, region, { ...request, turn });
      const send = (timeout?: number) =>
        this.peers.call(RUN_SUBJECTS.answer, region, { ...request, turn }, timeout === undefined ? {} : { timeout });
      return sendTurn({ user_id, turn, send, read: () => this.peers.call(RUN_SUBJECTS.read, region, request) });
    });
  }

  /** Adds the verification of the profile fields from which answers are linked: only the customer's home region knows it. @spec D2-2.2 */
  private async sent(user_id: string, { answers, ...onward }: Turn): Promise<SentTurn> {
    const fields = answers.flatMap(({ source_field }) => source_field ?? []);
    const known = fields.length > 0 ? await listVerifications(this.db, user_id, fields) : [];
    const verificationOf = (field: string) => {
      const source = known.find(({ slug }) => slug === field);
      if (!source) throw new Refusal('flows.answer_invalid').because(`source_field: you have no value of ${field}`);
      return this.attestations.standing(source.verification);
    };
    return {
      answers: answers.map((answer) => ({
        ...answer,
        verification: answer.source_field === undefined ? {} : verificationOf(answer.source_field),
      })),
      ...onward,
    };
  }

  /**
   * Refuses an answer that is linked from a field of a type that its question does not take. Only this region knows the fields of the
   * customer, so it reads the run for its questions. Whether the turn is the customer's is checked with the turn. @spec D2-4.2
   */
  private async checkSources(request: CustomersRun, { answers }: SentTurn): Promise<void> {
    const [{ definition, current_node }, fields] = await Promise.all([
      this.peers.find(RUN_SUBJECTS.read, request, CONNECTION_SEARCH),
      this.fields.of(request.user_id),
    ]);
    const questions = definition.nodes.find(({ key }) => key === current_node)?.elements ?? [];
    for (const { slug, source_field } of answers) {
      const question = questions.find((element) => element.kind === 'field' && element.slug === slug);
      if (source_field === undefined || question?.kind !== 'field') continue;
      const isTaken = fields.some((field) => field.slug === source_field && this.view.types.accepts(question.type, field.type));
      if (!isTaken)
        throw new Refusal('flows.answer_invalid').because(`${slug}: your field ${source_field} does not answer ${question.type}`);
    }
  }
}
