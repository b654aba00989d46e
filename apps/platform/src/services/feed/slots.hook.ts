import type { Db } from '@codase/runtime/db';
import { hook } from '../../kit/hooks.ts';
import type { SlotKey, Slots, SlotState } from './slots.ts';

/** A capability that stores values of connections, and reads them from the database or the transaction that it is given. */
export interface SlotSource {
  statesOf(db: Db, keys: readonly SlotKey[]): Promise<ReadonlyMap<string, SlotState>>;
}
export const SLOTS = hook<SlotSource>('slots');

/** Combines all sources of slots into one, on one database or in one transaction. */
export const slotsIn = (db: Db, sources: readonly SlotSource[]): Slots => ({
  async statesOf(keys) {
    const states = new Map<string, SlotState>();
    for (const source of sources) for (const [slot, state] of await source.statesOf(db, keys)) states.set(slot, state);
    return states;
  },
});
