import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { ConnectionRow } from './connection-row.ts';

/** A capability that acts when a connection is made. */
export interface ConnectionBegins {
  /**
   * Runs in the transaction that makes the connection, after the event was emitted. The service is held. `request_id` is the request of the
   * service that the customer accepts, where the customer says so.
   */
  connectionBegins(tx: EntityManager, connection: ConnectionRow, at: Date, request_id?: string): Promise<unknown>;
}
export const CONNECTION_BEGINS = hook<ConnectionBegins>('a connection begins');

/** A capability that keeps rows for a connection, and ends or deletes them with the connection. */
export interface ConnectionEnds {
  /** Runs in the transaction that ends the connection, before its row is deleted. The connection is locked. */
  connectionEnds(tx: EntityManager, connection: ConnectionRow): Promise<unknown>;
  /**
   * Informs phones of what `connectionEnds` has locked, after all capabilities have locked their rows: an event locks the log of the
   * customer's phones, which comes last in every transaction.
   */
  informOfEnd?(tx: EntityManager, connection: ConnectionRow): Promise<unknown>;
}
export const CONNECTION_ENDS = hook<ConnectionEnds>('a connection ends');

/** A capability whose data can forbid to end a connection. @spec D1-4.2 */
export interface ConnectionMayEnd {
  /**
   * Refuses to end the connection, in the transaction in which one of its two sides wants to end it. The connection is locked. It is not
   * called when an account was deleted: then its connections end in any case.
   */
  checkConnectionMayEnd(tx: EntityManager, connection: ConnectionRow): Promise<void>;
}
export const CONNECTION_MAY_END = hook<ConnectionMayEnd>('may a connection end');

/** A capability whose data a customer can read even after the last connection to a company has ended. */
export interface OutlastsConnections {
  /** Whether the customer still has something of the company. Runs in the transaction that ended the last connection. */
  hasAnyOf(tx: EntityManager, customer_user_id: string, company_user_id: string): Promise<boolean>;
}
export const OUTLASTS_CONNECTIONS = hook<OutlastsConnections>('what outlasts connections');
