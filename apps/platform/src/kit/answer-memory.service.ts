import { Refusal } from '@codase/contracts';
import { PROCESS_BODY_MEMORY } from '@codase/runtime/http';
import { count, RUNTIME_METRICS } from '@codase/runtime/telemetry';

/**
 * Reads a long answer while its bytes are taken from the memory for bodies, and refuses when there is not enough of it. The HTTP server
 * counts an answer against the same memory while it leaves, but only once all of it was read. @gap D1-7
 */
export const readInMemory = <T>(owner: string, bytes: number, read: () => Promise<T>): Promise<T> =>
  gatherInMemory(owner, (take) => {
    take(bytes);
    return read();
  });

/** Does the same for an answer whose length is not known before: `gather` calls `take` with the length of each part before it keeps it. */
export async function gatherInMemory<T>(owner: string, gather: (take: (bytes: number) => void) => Promise<T>): Promise<T> {
  const { callers } = PROCESS_BODY_MEMORY;
  let taken = 0;
  const take = (bytes: number) => {
    if (!callers.take(owner, bytes)) {
      count(RUNTIME_METRICS.httpOverloaded);
      throw new Refusal('service.overloaded');
    }
    taken += bytes;
  };
  try {
    return await gather(take);
  } finally {
    callers.release(owner, taken);
  }
}
