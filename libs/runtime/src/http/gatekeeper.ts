import { Refusal, type Endpoint } from '@codase/contracts';
import type { StreamedString } from './body-sink.ts';

/** What is known of a call before any of its body is read. */
export interface Call {
  method: string;
  /** The path as it was sent, without the query. */
  path: string;
  authorization: string | undefined;
  /** The source address. */
  address: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Does work in the trace that the caller sent, once it has proven who it is. An admitted call runs in that trace. */
  inCallersTrace<T>(work: () => T): T;
  /** The body's long string, for contracts that say `streams`; undefined when the body had none. */
  streamed?: StreamedString | undefined;
}

/** Decides which calls are admitted. Each app has its own. */
export interface Gatekeeper {
  /** Returns who calls, or refuses the call; returns a promise when it has to wait. */
  admit(contract: Endpoint, call: Call): unknown;
  /** Does the work of an admitted call with what its caller may see. When absent, all work is the same. */
  inScope?<T>(contract: Endpoint, caller: unknown, work: () => T): T;
  /** Whether an admitted caller would still be admitted, asked again and again during a stream. When absent, it would be. */
  stillAdmits?(contract: Endpoint, call: Call): Promise<boolean>;
  /** Refuses a call that belongs to another base, naming that base. */
  pointElsewhere(contract: Endpoint, call: Call): Promise<never>;
  /** Refuses a call to a path that no route has. */
  turnAway(path: string, call: Call): Promise<never>;
}
export const GATEKEEPER = Symbol('Gatekeeper');

/** The gatekeeper of an app that has none of its own: it admits only calls that are for anyone. */
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
