import type { SentAct } from '@codase/contracts';
import type { CheckedStatement } from '@codase/runtime/initiator';
import { requirement } from '../../kit/hooks.ts';

/** An act of a person, as it is about to be stored. */
export interface StoredAct extends SentAct {
  user_id: string;
  /** The bus user of the region that sends the act; undefined for this region. */
  busUser: string | undefined;
}

/** Checks what devices of persons state of their acts. */
export interface ActCheck {
  /**
   * Returns the statement that fits the act; undefined for a user who has no device. Refuses an act of a user with devices when no device
   * has signed it.
   */
  check(act: StoredAct, statement: string | undefined): CheckedStatement | undefined;
}
export const ACT_CHECK = requirement<ActCheck>('statements of devices');
