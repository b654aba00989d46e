import { setTimeout as pause } from 'node:timers/promises';
import { appDocuments } from '@codase/contracts';
import type { IssuedDocument, OwnConnection, Person } from '@codase/testing';
import { signContract, type ActsInHand } from '../documents/acts-in-hand.ts';
import { answerTo } from '../request-field.ts';
import { addUp, judgeTexts, NO_FAULTS, type Judgement } from '../tally.ts';
import { ANSWER_TIMEOUT_MS, everyPage, untilAnswered } from '../until-answered.ts';
import type { HandledCorrespondence } from './effects.ts';

const CHECK_MS = 200;

/** A customer who writes to the service, gets a contract for each message, and signs it, one after the other. */
export class Correspondent {
  readonly names: string[] = [];

  constructor(
    private readonly person: Person,
    private readonly connection: OwnConnection,
    private readonly acts: ActsInHand,
  ) {}

  async signsUntil(isOver: () => boolean): Promise<void> {
    for (let n = 1; !isOver(); n++) {
      const name = `contract ${n} of ${this.person.user_id}`;
      await this.acts.during(() => this.asksFor(name));
      this.names.push(name);
    }
  }

  /** Judges that each message and signature took effect once and in order, and that the person has an answer and a contract for each. */
  async verdict(handled: readonly HandledCorrespondence[]): Promise<Judgement> {
    const own = handled.filter(({ person }) => person === this.person.user_id);
    const taken = (kind: string) => own.filter((one) => one.kind === kind).map(({ name }) => name);
    const contracts = await this.contracts();
    const unsigned = contracts.filter(({ status, signatures }) => status !== 'active' || signatures.length !== 1);
    return addUp(
      judgeTexts(this.names, taken('message')),
      judgeTexts(this.names, taken('contract')),
      judgeTexts(
        this.names,
        contracts.map(({ name }) => name),
      ),
      judgeTexts(this.names.map(answerTo), await this.answers()),
      { ...NO_FAULTS, wrong: unsigned.length + taken('another contract').length },
    );
  }

  private async asksFor(name: string): Promise<void> {
    const { person, connection } = this;
    const body = await person.sealsFor(connection.service, name);
    await untilAnswered(() => person.messages.sends(connection.id, body));
    await signContract(person, await this.receives(name), this.acts);
  }

  private async receives(name: string): Promise<IssuedDocument> {
    const deadline = performance.now() + ANSWER_TIMEOUT_MS;
    for (; ; await pause(CHECK_MS)) {
      const newest = await untilAnswered(() => this.person.documents.list({ connection_id: this.connection.id, limit: 5 }));
      const found = newest.find((document) => document.name === name);
      if (found) return found;
      if (performance.now() > deadline) throw new Error(`the service has sent no ${name}`);
    }
  }

  private async contracts(): Promise<IssuedDocument[]> {
    const { person, connection } = this;
    const query = { connection_id: connection.id };
    const newestFirst = await everyPage((paging) => person.asks(appDocuments.listReceivedDocuments, { query: { ...query, ...paging } }));
    return newestFirst.toReversed();
  }

  private async answers(): Promise<string[]> {
    const { person, connection } = this;
    const newestFirst = await everyPage((paging) => person.messages.page(connection.id, paging));
    const answers = newestFirst.filter(({ from }) => from === 'company').toReversed();
    return Promise.all(answers.map(({ body }) => person.opens(body)));
  }
}
