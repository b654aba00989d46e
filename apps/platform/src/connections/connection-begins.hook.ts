import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { ConnectionRow } from './connection-row.ts';

/** A capability that has something waiting for a connection. */
export interface ConnectionBegins {
  /** In the transaction that makes it, after its event. The service is held. */
  connectionBegins(tx: EntityManager, connection: ConnectionRow, at: Date): Promise<unknown>;
}
export const CONNECTION_BEGINS = hook<ConnectionBegins>('a connection begins');
