/** A handler that did not end in its time. It may run on, and what it does then is as if a replica did it too. */
export class Overdue extends Error {
  override readonly name = 'HandlerOverdue';
}

/** Waits for work no longer than its time, and tells it when that is over. */
export async function inTime(ms: number, over: AbortController, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Overdue('a handler did not end in its time')); // first: work that heeds the signal fails in words of its own
      over.abort();
    }, ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
