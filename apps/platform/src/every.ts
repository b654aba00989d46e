/** Work that is done again and again. */
export interface Repeated {
  /** The first time is over, well or not. */
  first: Promise<void>;
  /** Ends it, after the time that is under way. */
  stop(): Promise<void>;
}

/** Does something again and again, with a pause after each time; one that fails is told and does not end it. */
export function every(ms: number, work: () => Promise<unknown>, failed: (error: unknown) => void): Repeated {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const again = () => {
    underWay = work()
      .then(() => undefined, failed)
      .then(() => {
        if (!isStopped) timer = setTimeout(again, ms);
      });
  };
  again();
  return {
    first: underWay,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return underWay;
    },
  };
}
