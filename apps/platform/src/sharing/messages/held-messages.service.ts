import { Injectable } from '@nestjs/common';
import { MESSAGE_SUBJECTS, type Message, type SentMessage, type UnreadMessages } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { movedMeanwhile, RegionRouter } from '../connections/index.ts';
import { pageOf, type Page, type Slice } from '../../kit/paging.ts';
import { CustomerMessages } from './customer-messages.service.ts';

/**
 * What a customer at home in this region reads and writes, on a phone or as a company, wherever the service is. This region stores no copy.
 * @gap D1-1
 */
@Injectable()
export class HeldMessages {
  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly messages: CustomerMessages,
  ) {}

  async list(user_id: string, connection_id: string, { limit, after }: Slice): Promise<Page<Message>> {
    const asked = { user_id, connection_id, limit, after: after ? { at: after.at.toISOString(), id: after.id } : null };
    const { messages, more } = await this.router
      .hereOrElsewhere(
        user_id,
        () => this.messages.list(asked),
        (region) => this.bus.request(MESSAGE_SUBJECTS.list, { region }, asked),
      )
      .catch(instead('service.unavailable'));
    // `pageOf` learns from one more row that there is a next page; that row is not shown.
    const rows = more ? [...messages, messages.at(-1)!] : messages;
    return pageOf(rows, messages.length, ({ created_at, message_id }) => ({ at: new Date(created_at), id: message_id }));
  }

  async unread(user_id: string): Promise<UnreadMessages[]> {
    const asked = { user_id };
    const others = await this.router.othersOf(user_id);
    const elsewhere = others.map((region) => this.bus.request(MESSAGE_SUBJECTS.unread, { region }, asked));
    const lists = await Promise.all([this.messages.unread(asked), ...elsewhere]);
    return inOrder(lists.flatMap(({ unread }) => unread));
  }

  write(user_id: string, message: { connection_id: string; body: Message['body'] }): Promise<SentMessage> {
    const asked = { user_id, ...message };
    return this.router
      .hereOrElsewhere(
        user_id,
        () => this.messages.write(asked),
        (region) => this.bus.request(MESSAGE_SUBJECTS.write, { region }, asked),
      )
      .catch(instead('db.writes_paused'));
  }

  async read(user_id: string, upTo: { connection_id: string; message_id: string }): Promise<void> {
    const asked = { user_id, ...upTo };
    await this.router
      .hereOrElsewhere(
        user_id,
        () => this.messages.read(asked),
        (region) => this.bus.request(MESSAGE_SUBJECTS.read, { region }, asked),
      )
      .catch(instead('db.writes_paused'));
  }
}

const instead =
  (key: Parameters<typeof movedMeanwhile>[1]) =>
  (error: unknown): never => {
    throw movedMeanwhile(error, key);
  };

/** Sorts by the oldest unread message and removes duplicates: while a company moves, both regions may list its connections. */
function inOrder(unread: readonly UnreadMessages[]): UnreadMessages[] {
  const byId = new Map(unread.map((one) => [one.connection_id, one]));
  return [...byId.values()].toSorted((one, other) => (one.oldest_at < other.oldest_at ? -1 : 1));
}
