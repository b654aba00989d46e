import type { Endpoint } from '@codase/contracts';

/** Takes the long string of a body while it comes. */
export interface BodySink {
  /** Takes the next bytes of the string, in UTF-8, one call at a time. It must not keep them: their memory belongs to a chunk. */
  write(bytes: Uint8Array): Promise<void>;
  /** Called when the whole string has come. Returns what the handler is given. */
  end(): Promise<unknown>;
  /** Called when the request has failed. */
  abandon(): Promise<void>;
}

/** What is known when a long string begins to come. */
export interface ArrivingBody {
  /** The body so far, with the start of the string, as it is written in JSON. */
  before: string;
  /** The parameters of the path, as they came. */
  params: unknown;
}

/** Opens the sinks that take the long strings of bodies, for contracts that say `streams`. */
export interface BodySinks {
  open(contract: Endpoint, caller: unknown, arriving: ArrivingBody): BodySink;
}
export const BODY_SINKS = Symbol('BodySinks');

/** The long string of a body, which went to a sink. */
export interface StreamedString {
  /** What the sink returned. */
  taken: unknown;
  /** The shortened string that replaces it in the body: a member of the body is that string only when it is equal to this. */
  shortened: string;
}
