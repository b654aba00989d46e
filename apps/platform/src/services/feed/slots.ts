import type { FeedEventOf } from '@codase/contracts';

/** A request slot of a connection. */
export interface SlotKey {
  connection_id: string;
  slug: string;
}

/** What a slot holds now: ciphertext, or the address of a file. @spec D1-6.1 */
export type SlotState = Pick<FeedEventOf<'field_updated'>, 'live' | 'value' | 'value_url'>;

/** Reads what some slots hold now, keyed by `slotName`. An empty slot is not in the result. */
export interface Slots {
  statesOf(keys: readonly SlotKey[]): Promise<ReadonlyMap<string, SlotState>>;
}

export const slotName = ({ connection_id, slug }: SlotKey): string => `${connection_id} ${slug}`;
