import { Refusal, retryAdvice } from '@codase/contracts';

/**
 * How a call failed that got no answer. `unsent`: nobody was there, so nothing can have been done. `broken`: the connection broke after
 * something was sent, so nobody knows. `late`: no answer in time. `cancelled`: the caller itself gave up.
 */
export type CallFailure = 'unsent' | 'broken' | 'late' | 'cancelled';

/** The kinds of failure by the error's `code` (Node, undici, NATS) or, when a library sets none, by the `name` of its error. */
const FAILURES: Readonly<Record<string, CallFailure>> = {
  ECONNREFUSED: 'unsent',
  ENOTFOUND: 'unsent',
  EAI_AGAIN: 'unsent',
  EHOSTUNREACH: 'unsent',
  ENETUNREACH: 'unsent',
  UND_ERR_CONNECT_TIMEOUT: 'unsent',
  CONNECTION_REFUSED: 'unsent',
  NoRespondersError: 'unsent',
  ECONNRESET: 'broken',
  ECONNABORTED: 'broken',
  EPIPE: 'broken',
  ETIMEDOUT: 'broken',
  UND_ERR_SOCKET: 'broken',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'broken',
  HPE_INVALID_EOF_STATE: 'broken',
  ConnectionError: 'broken',
  ClosedConnectionError: 'broken',
  DrainingConnectionError: 'broken',
  UND_ERR_HEADERS_TIMEOUT: 'late',
  UND_ERR_BODY_TIMEOUT: 'late',
  TimeoutError: 'late',
  AbortError: 'cancelled',
};

/** Postgres: connections (08), resources (53), a server that starts or stops (57P), one that only reads after a failover (25006). */
const UNAVAILABLE_POSTGRES = /^(08...|53...|57P0[1-5]|25006)$/;
/** Errors of pg that have a text and no code. */
const UNAVAILABLE_TEXTS =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error))/;

/** Returns how a call failed; undefined when the connection did not. Looks at causes too, because libraries wrap errors. */
export function callFailure(error: unknown): CallFailure | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, name, message, cause, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && syscall === 'connect') return 'unsent'; // a server that left no Unix socket behind
  return FAILURES[code ?? ''] ?? FAILURES[name ?? ''] ?? (isOfPostgres(code, message) ? 'broken' : callFailure(cause));
}

const isOfPostgres = (code: unknown, message: unknown) =>
  (typeof code === 'string' && UNAVAILABLE_POSTGRES.test(code)) || (typeof message === 'string' && UNAVAILABLE_TEXTS.test(message));

/**
 * The one test of whether the same attempt can succeed later though nothing about it changes: something it needs cannot be reached, is too
 * busy, or is not set up yet. For a refusal, the error catalogue decides. What waits for one person (`when_changed`) is not transient: it
 * may take weeks, and events of other persons would wait behind it.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof Refusal) return !['never', 'when_changed'].includes(retryAdvice(error.key).retry);
  const failure = callFailure(error);
  return failure !== undefined && failure !== 'cancelled';
}
