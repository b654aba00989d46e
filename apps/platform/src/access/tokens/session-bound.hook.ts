import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { BoundKey } from './sessions.ts';

/** A session of a user that is bound to the key of a device. */
export interface BoundSession extends BoundKey {
  user_id: string;
  client_id: string;
}

/** What a session is bound by: the sign-in that begins it, or a refresh of one that was begun without a key. */
export type BoundBy = 'sign_in' | 'refresh';

/** Knows the devices whose keys sessions are bound to. */
export interface SessionBound {
  /** Hears of a session that is bound from now on, in the transaction that binds it. */
  sessionBound(tx: EntityManager, session: BoundSession, by: BoundBy): Promise<void>;
  /** Hears of a bound session that is refreshed. Refuses when the device was removed. */
  sessionUsed(tx: EntityManager, session: BoundSession): Promise<void>;
}
export const SESSION_BOUND = hook<SessionBound>('bound sessions');
