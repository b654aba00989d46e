import { setTimeout as pause } from 'node:timers/promises';
import type { Backend, OwnConnection, Person } from '@codase/testing';
import { everyPage } from '../every-page.ts';
import { tally, type Tally } from '../tally.ts';
import { untilAnswered } from '../until-answered.ts';
import { digestOf, messageOf, type Edit } from './edit.ts';

/**
 * A person and a service that write to each other in turn. A message whose answer was lost is sent again unchanged, which makes no second
 * message. @spec D1-4.2
 */
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

  /**
   * Judges the messages as the person reads them at the end: each message of both sides is there, once and in order, and the service has
   * read all.
   */
  async verdict(): Promise<Tally & { wrong: number }> {
    const { person, connection } = this;
    const all = (await everyPage((paging) => person.messages.page(connection.id, paging))).toReversed();
    const judge = (from: 'person' | 'company', digests: readonly string[]) => {
      const numbers = new Map(digests.map((digest, nth) => [digest, nth + 1]));
      const received = all.filter((message) => message.from === from).map(({ body }) => digestOf(body));
      const known = received.filter((digest) => numbers.has(digest));
      const effects = known.map((digest) => ({ message_id: digest, key: from, n: numbers.get(digest)! }));
      return { ...tally(digests, effects), unknown: received.length - known.length };
    };
    const [own, answers] = [
      judge(
        'person',
        this.sent.map(({ value }) => value),
      ),
      judge('company', this.answered),
    ];
    return {
      lost: own.lost + answers.lost,
      duplicated: own.duplicated + answers.duplicated,
      disordered: own.disordered + answers.disordered,
      wrong: own.unknown + answers.unknown + all.filter(({ from, read_at }) => from === 'person' && read_at === null).length,
    };
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
