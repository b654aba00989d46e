import { setTimeout as pause } from 'node:timers/promises';
import type { Backend, OwnConnection, Person } from '@codase/testing';
import { addUp, judgeTexts, NO_FAULTS, type Judgement } from '../tally.ts';
import { everyPage, untilAnswered } from '../until-answered.ts';
import { digestOf, messageOf, type Edit } from './edit.ts';

/** A person and a service that write to each other. A message is sent again, unchanged, when its answer is lost. @spec D1-4.2 */
export class Conversation {
  /** The messages that the service must get. */
  readonly sent: Edit[] = [];
  /** The digests of the service's messages. */
  readonly answered: string[] = [];

  constructor(
    private readonly person: Person,
    private readonly backend: Backend,
    private readonly connection: OwnConnection,
    private readonly everyMs: number,
  ) {}

  async goesOnUntil(isOver: () => boolean): Promise<void> {
    for (let n = 1; !isOver(); n++) {
      await this.exchanges(n);
      await pause(this.everyMs);
    }
  }

  /** Judges the messages as the person reads them: each is there once and in order, and the service has read all. */
  async verdict(): Promise<Judgement> {
    const { person, connection } = this;
    const all = (await everyPage((paging) => person.messages.page(connection.id, paging))).toReversed();
    const digestsOf = (from: 'person' | 'company') => all.filter((message) => message.from === from).map(({ body }) => digestOf(body));
    const sent = this.sent.map(({ value }) => value);
    const unread = all.filter(({ from, read_at }) => from === 'person' && read_at === null);
    return addUp(judgeTexts(sent, digestsOf('person')), judgeTexts(this.answered, digestsOf('company')), {
      ...NO_FAULTS,
      wrong: unread.length,
    });
  }

  private async exchanges(n: number): Promise<void> {
    const { person, backend, connection } = this;
    const question = await person.sealsFor(connection.service, `question ${n}`);
    const { message_id } = await untilAnswered(() => person.messages.sends(connection.id, question));
    this.sent.push(messageOf(connection.service.service_id, person.user_id, n, question));
    const answer = await backend.sealsFor(person, `answer ${n}`);
    await untilAnswered(() => backend.messages.sends(connection.id, answer));
    this.answered.push(digestOf(answer));
    await untilAnswered(() => backend.messages.acknowledges({ connection_id: connection.id, message_id }));
  }
}
