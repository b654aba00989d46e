import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { ConnectionRow } from './connection-row.ts';

/** A capability that keeps something for a connection, and ends it with the connection. */
export interface ConnectionEnds {
  /** In the transaction that ends it, before its row goes. The connection is locked. */
  connectionEnds(tx: EntityManager, connection: ConnectionRow): Promise<unknown>;
}
export const CONNECTION_ENDS = hook<ConnectionEnds>('a connection ends');
