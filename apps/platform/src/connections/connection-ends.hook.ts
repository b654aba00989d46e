import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { ConnectionRow } from './connection-row.ts';

/** A capability that keeps something for a connection, and ends it with the connection. */
export interface ConnectionEnds {
  /** In the transaction that ends it, before its row goes. The connection is locked. */
  connectionEnds(tx: EntityManager, connection: ConnectionRow): Promise<unknown>;
}
export const CONNECTION_ENDS = hook<ConnectionEnds>('a connection ends');

/** A capability that keeps what forbids to end a connection. @spec D1-4.2 */
export interface ConnectionMayEnd {
  /**
   * Refuses, in the transaction in which one of the two sides wants to end it. The connection is locked. Where an account was deleted
   * nobody is asked: its connections end.
   */
  checkConnectionMayEnd(tx: EntityManager, connection: ConnectionRow): Promise<void>;
}
export const CONNECTION_MAY_END = hook<ConnectionMayEnd>('may a connection end');
