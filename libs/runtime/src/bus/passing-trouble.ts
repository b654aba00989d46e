import { Refusal, type ErrorKey } from '@cds/contracts';

/** The line to somebody: Node's codes, NATS's own, and Postgres' classes for lost connections, full servers and servers that come or go. */
const BROKEN_LINE = /^(ECONN\w+|EPIPE|ETIMEDOUT|E\w+UNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_\w*(TIMEOUT|SOCKET)|CONNECTION_REFUSED)$/;
const AWAY_POSTGRES = /^(08...|53...|57P0[1-5]|25006)$/;
/** What libraries say by name or by text alone. */
const AWAY_NAMES = ['TimeoutError', 'NoRespondersError', 'ConnectionError', 'ClosedConnectionError', 'DrainingConnectionError'];
const AWAY_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error))/;

/** An operator has to mend it, and every event would fail by it. */
const MISCONFIGURED: readonly ErrorKey[] = [
  'decryptor.key_unknown',
  'decryptor.caller_refused',
  'auth.token_invalid',
  'auth.client_endpoint_forbidden',
];

/**
 * Whether a failure is no fault of the event: somebody it needs cannot be reached, is too busy or is not set up. Such an event is worth
 * waiting for, however long, because the next one would fare no better.
 */
export function isPassingTrouble(failure: unknown): boolean {
  if (failure instanceof Refusal) return failure.status >= 500 || failure.status === 429 || MISCONFIGURED.includes(failure.key);
  for (let cause = failure; cause instanceof Error; cause = cause.cause) if (isAway(cause)) return true;
  return false;
}

function isAway(error: Error): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (BROKEN_LINE.test(code) || AWAY_POSTGRES.test(code))) return true;
  return AWAY_NAMES.includes(error.name) || AWAY_TEXTS.test(error.message);
}
