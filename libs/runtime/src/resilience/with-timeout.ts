/** Waits for work no longer than `ms`, then fails with `late` and cancels it. It may run on, but its outcome is ignored. */
export async function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error, cancel?: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late()); // first: work that heeds the signal fails with an error of its own
      cancel?.abort();
    }, ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work no longer than `ms`, and returns whether the work is done. The work goes on either way. */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
