import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type SentMessage } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import { findConnections, lockConnections, phoneEvents, type ConnectionRow } from '../connections/index.ts';
import { companyEvents, emitCustomerEvents } from '../../services/feed/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import type { OwnService } from '../../services/services/index.ts';
import { addMessages, findMessage, markRead } from './messages.store.ts';
import { METRICS } from './metrics.ts';
import { presentSent } from './present.ts';

/** A message to one connection of a service, sealed to its customer. */
interface Outgoing {
  connection_id: string;
  body: string;
  idempotency_key?: string | undefined;
}

/** What a service writes to its customers, and acknowledges. Its own messages raise no event in its feed. @spec D1-4.2 @spec D1-6.1 */
@Injectable()
export class ServiceMessages {
  constructor(
    private readonly home: Home,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Sends all messages, or none. @gap D1-4.7 */
  async send(service: OwnService, outgoing: readonly Outgoing[]): Promise<SentMessage[]> {
    const stored = await this.home.write(service.company_user_id, async (tx) => {
      const connections = await this.lock(tx, service, outgoing);
      const messages = outgoing.map(({ connection_id, body, idempotency_key: key }) => ({
        connection: connections.get(connection_id)!,
        body,
        key,
      }));
      const rows = await addMessages(tx, 'company', messages, this.clock.now());
      const news = rows.filter(({ is_new }) => is_new);
      const events = news.flatMap(({ connection_id, message_id, created_at }) =>
        companyEvents([connections.get(connection_id)!], { event: 'message_received', message_id }, created_at),
      );
      await emitCustomerEvents(tx, events);
      const written = [...new Set(news.map(({ connection_id }) => connection_id))].map((connection_id) => connections.get(connection_id)!);
      await emitAppEvents(tx, phoneEvents('message_received', written, this.clock.now()));
      return rows;
    });
    count(METRICS.sent, {}, stored.filter(({ is_new }) => is_new).length);
    return stored.map(presentSent);
  }

  /** Marks messages as read, up to one that the customer sent on this connection. @spec D1-4.2 */
  acknowledge(service: OwnService, connection_id: string, message_id: string): Promise<void> {
    return this.home.write(service.company_user_id, async (tx) => {
      const connection = (await this.lock(tx, service, [{ connection_id }])).get(connection_id)!;
      const boundary = await findMessage(tx, connection, 'person', message_id);
      if (!boundary) throw new Refusal('company_data.ack_boundary_invalid');
      const now = this.clock.now();
      if (!(await markRead(tx, connection, 'person', { upTo: boundary.created_at, now }))) return;
      await emitAppEvents(tx, phoneEvents('messages_read', [connection], now));
    });
  }

  /** Locks connections of the service, and refuses when one of them does not exist. */
  private async lock(
    tx: EntityManager,
    service: OwnService,
    some: readonly Pick<Outgoing, 'connection_id'>[],
  ): Promise<ReadonlyMap<string, ConnectionRow>> {
    const ids = [...new Set(some.map(({ connection_id }) => connection_id))];
    const locked = await lockConnections(tx, await findConnections(tx, service, ids));
    if (locked.length < ids.length) throw new Refusal('company_data.connection_not_found');
    return new Map(locked.map((connection) => [connection.connection_id, connection]));
  }
}
