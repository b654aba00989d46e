import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { ConnectionRow } from './connection-row.ts';

/** A capability that acts when a connection is made. */
export interface ConnectionBegins {
  /** Runs in the transaction that makes the connection, after the event was emitted. The service is held. */
  connectionBegins(tx: EntityManager, connection: ConnectionRow, at: Date): Promise<unknown>;
}
export const CONNECTION_BEGINS = hook<ConnectionBegins>('a connection begins');
