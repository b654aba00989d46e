import { Refusal } from '@cds/contracts';
import { PROCESS_BODY_MEMORY } from '@cds/runtime/http';
import { count, RUNTIME_METRICS } from '@cds/runtime/telemetry';

/**
 * Reads a long answer while its bytes are taken from the memory for bodies, and refuses when there is not enough of it. The HTTP server
 * counts an answer against the same memory while it leaves, but only once all of it was read. @gap D1-7
 */
export async function readInMemory<T>(owner: string, bytes: number, read: () => Promise<T>): Promise<T> {
  const { callers } = PROCESS_BODY_MEMORY;
  if (!callers.take(owner, bytes)) {
    count(RUNTIME_METRICS.httpOverloaded);
    throw new Refusal('service.overloaded');
  }
  try {
    return await read();
  } finally {
    callers.release(owner, bytes);
  }
}
