import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Message, type MESSAGE_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import {
  findOfCustomer,
  lockConnection,
  phoneEvents,
  LOCK_WAIT_MS,
  unavailableWhenLocked,
  waitAtMost,
  type ConnectionRow,
} from '../connections/index.ts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { emit } from '../../services/feed/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { addMessages, findMessage, listMessages, listUnreadOfCustomer, markRead, type StoredMessage } from './messages.store.ts';
import { METRICS } from './metrics.ts';
import { messageEvent, presentMessage, presentSent, presentUnread } from './present.ts';

type Subjects = typeof MESSAGE_SUBJECTS;
type Connected = Pick<MessageOf<Subjects['write']>, 'user_id' | 'connection_id'>;

/** What customers of any region write to services of companies that live here, and read from them. @spec D1-4.2 */
@Injectable()
export class CustomerMessages implements Handlers<Subjects> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list({ user_id, connection_id, limit, after }: MessageOf<Subjects['list']>): Promise<{ messages: Message[]; more: boolean }> {
    const connection = await findOfCustomer(this.db, user_id, connection_id);
    await this.home.check(connection.company_user_id);
    const slice = { limit, after: after ? { at: new Date(after.at), id: after.id } : undefined };
    const { messages, more } = await listMessages(this.db, connection_id, slice);
    return { messages: messages.map(presentMessage), more };
  }

  async unread({ user_id }: MessageOf<Subjects['unread']>): Promise<ReplyOf<Subjects['unread']>> {
    return { unread: (await listUnreadOfCustomer(this.db, user_id)).map(presentUnread) };
  }

  /** Stores a message, its event and its row in the audit in one transaction. A repeated message is no new act. @spec D1-6.1 */
  async write({ body, ...connected }: MessageOf<Subjects['write']>, withinMs = Infinity): Promise<ReplyOf<Subjects['write']>> {
    const stored = await this.change(connected, withinMs, async (tx, connection) => {
      const [message] = await addMessages(tx, 'person', [{ connection, body }], this.clock.now());
      if (message!.is_new) {
        await emit(tx, [messageEvent(connection, message!, body)]);
        await this.recordWritten(tx, connection, message!);
      }
      return message!;
    });
    if (stored.is_new) count(METRICS.received);
    return presentSent(stored);
  }

  private recordWritten(
    tx: EntityManager,
    { company_user_id: account_id, customer_user_id }: ConnectionRow,
    { message_id }: StoredMessage,
  ) {
    return this.audit.record(tx, { act: 'message.written', account_id, object: message_id, initiator: customer_user_id });
  }

  /** Marks messages as read, up to one of the service. The other phones of the person learn of it by an event. @gap D1-4.7 */
  async read({ message_id, ...connected }: MessageOf<Subjects['read']>, withinMs = Infinity): Promise<null> {
    await this.change(connected, withinMs, async (tx, connection) => {
      const boundary = await findMessage(tx, connection, 'company', message_id);
      if (!boundary) throw new Refusal('company_data.ack_boundary_invalid').because('message_id must be a message of the service');
      const now = this.clock.now();
      if (!(await markRead(tx, connection, 'company', { upTo: boundary.created_at, now }))) return;
      await emitAppEvents(tx, phoneEvents('messages_read', [connection], now));
    });
    return null;
  }

  /** Runs a change with the connection locked. It is rolled back when the caller has stopped waiting and reports a failure. */
  private change<T>(
    { user_id, connection_id }: Connected,
    withinMs: number,
    work: (tx: EntityManager, connection: ConnectionRow) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + withinMs;
    const changed = this.home.transaction(async (tx) => {
      const connection = await findOfCustomer(tx, user_id, connection_id);
      await waitAtMost(tx, LOCK_WAIT_MS);
      await this.home.remains(tx, connection.company_user_id);
      const result = await work(tx, await lockConnection(tx, connection));
      if (performance.now() > deadline) throw new Refusal('service.unavailable');
      return result;
    });
    return changed.catch((error: unknown) => {
      throw unavailableWhenLocked(error);
    });
  }
}
