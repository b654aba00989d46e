/**
 * How a call failed that got no answer. `unsent`: nobody was there, so nothing can have happened. `broken`: the line broke after
 * something was sent, so nobody knows. `late`: no answer within the time the asker waits.
 */
export type Trouble = 'unsent' | 'broken' | 'late';

const CODES: Record<string, Trouble> = {
  ECONNREFUSED: 'unsent',
  ENOTFOUND: 'unsent',
  EAI_AGAIN: 'unsent',
  EHOSTUNREACH: 'unsent',
  ENETUNREACH: 'unsent',
  UND_ERR_CONNECT_TIMEOUT: 'unsent',
  ECONNRESET: 'broken',
  EPIPE: 'broken',
  ETIMEDOUT: 'broken',
  UND_ERR_SOCKET: 'broken',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'broken',
  HPE_INVALID_EOF_STATE: 'broken',
  UND_ERR_HEADERS_TIMEOUT: 'late',
  UND_ERR_BODY_TIMEOUT: 'late',
  TimeoutError: 'late',
  AbortError: 'late',
};

/** What became of the line; undefined when it is not the line that failed. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, name, cause } = error as NodeJS.ErrnoException;
  return CODES[code ?? ''] ?? CODES[name ?? ''] ?? troubleOf(cause);
}
