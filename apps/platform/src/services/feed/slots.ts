import type { FeedEventOf } from '@codase/contracts';

/** A request slot of a connection. */
interface Slot {
  connection_id: string;
  slug: string;
}

/** A slot to read, for the company that the connection belongs to and for no other. */
export interface SlotKey extends Slot {
  company_user_id: string;
}

/** What a slot holds now: ciphertext, or the address of a file. @spec D1-6.1 */
export type SlotState = Pick<FeedEventOf<'field_updated'>, 'live' | 'value' | 'value_url'>;

/** Reads what some slots hold now, keyed by `slotName`. An empty slot is not in the result. */
export interface Slots {
  statesOf(keys: readonly SlotKey[]): Promise<ReadonlyMap<string, SlotState>>;
}

export const slotName = ({ connection_id, slug }: Slot): string => `${connection_id} ${slug}`;
