import { Injectable } from '@nestjs/common';
import { MESSAGE_SUBJECTS, type Message, type UnreadMessages } from '@codase/contracts';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';
import { onceEach, Peers } from '../../foundation/peers/index.ts';
import { pageOf, type Page, type Slice } from '../../kit/paging.ts';
import { CONNECTION_SEARCH } from '../connections/index.ts';

/** Lists what a customer at home in this region can read, on a phone or as a company, wherever the service is. @gap D1-1 */
@Injectable()
export class MessageLists implements AppEventPresenter {
  /** A phone gets the connection alone and reads what is new: a body may be long, and the company's region may not answer. */
  readonly presents: AppEventPresenter['presents'] = {
    message_received: async ({ object_id: connection_id }) => ({ connection_id }),
    messages_read: async ({ object_id: connection_id }) => ({ connection_id }),
  };

  constructor(private readonly peers: Peers) {}

  async list(user_id: string, connection_id: string, { limit, after }: Slice): Promise<Page<Message>> {
    const request = { user_id, connection_id, limit, after: after ? { at: after.at.toISOString(), id: after.id } : null };
    const { messages, more } = await this.peers.find(MESSAGE_SUBJECTS.list, request, CONNECTION_SEARCH);
    // `pageOf` learns from one more row that there is a next page; that row is not shown.
    const rows = more ? [...messages, messages.at(-1)!] : messages;
    return pageOf(rows, messages.length, ({ created_at, message_id }) => ({ at: new Date(created_at), id: message_id }));
  }

  async unread(user_id: string): Promise<UnreadMessages[]> {
    const lists = await this.peers.gather(MESSAGE_SUBJECTS.unread, { user_id }, CONNECTION_SEARCH);
    const all = lists.flatMap(({ reply }) => reply.unread);
    return onceEach(all, 'connection_id', 'oldest_at');
  }
}
