import type { Endpoint } from '@cds/contracts';

/** Takes the long string of a body while it comes. */
export interface BodySink {
  /** The next bytes of it, UTF-8, wait until these are taken. They are not kept: their memory is that of a chunk. */
  write(bytes: Uint8Array): Promise<void>;
  /** All of it has come. Answers what the handler is given. */
  end(): Promise<unknown>;
  /** The request came to nothing. */
  abandon(): Promise<void>;
}

/** What is known when a long string begins to come. */
export interface ArrivingBody {
  /** The body so far, with the start of the string, as it is written. */
  before: string;
  /** Of the path, as they came. */
  params: unknown;
}

/** Where long strings of bodies go, for contracts that say `streams`. */
export interface BodySinks {
  open(contract: Endpoint, caller: unknown, arriving: ArrivingBody): BodySink;
}
export const BODY_SINKS = Symbol('BodySinks');

/** The long string of a body, which went to a sink. */
export interface StreamedString {
  /** What the sink answered. */
  taken: unknown;
  /** What stands in the body for it: only the member that is equal to it is that string. */
  shortened: string;
}
