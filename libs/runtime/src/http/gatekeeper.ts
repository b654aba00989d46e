import { Refusal, type Endpoint } from '@cds/contracts';
import type { StreamedString } from './body-sink.ts';

/** What is known of a call before anything of it is read. */
export interface Call {
  authorization: string | undefined;
  /** The source address. */
  address: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Does work in the trace that the caller sent, once it has proven who it is. What a gatekeeper admits by name runs there by itself. */
  inCallersTrace<T>(work: () => T): T;
  /** The body's long string, for contracts that say `streams`; undefined where it had none. */
  streamed?: StreamedString | undefined;
}

/** Decides who may come in. The app knows how. */
export interface Gatekeeper {
  /** Says who calls, or refuses; at once, or by a promise where it has to wait. */
  admit(contract: Endpoint, call: Call): unknown;
  /** Whether a caller that was let in still would be, asked again and again while its answer is a stream. Absent: it would. */
  stillAdmits?(contract: Endpoint, call: Call): Promise<boolean>;
  /** Refuses a call that belongs to another base, naming that base. */
  pointElsewhere(contract: Endpoint, call: Call): Promise<never>;
  /** Refuses a call to a path that no route has. */
  turnAway(path: string, call: Call): Promise<never>;
}
export const GATEKEEPER = Symbol('Gatekeeper');

/** Where an app has none: only what is for anyone. */
export const openToAnyone: Gatekeeper = {
  admit({ callers }) {
    if (!callers.includes('anyone')) throw new Refusal('auth.token_invalid');
    return null;
  },
  async pointElsewhere() {
    throw new Refusal('request.not_found');
  },
  async turnAway() {
    throw new Refusal('request.not_found');
  },
};
