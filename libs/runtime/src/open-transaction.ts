import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Checked in tests alone: elsewhere such a mistake makes a request slow, and the bookkeeping makes promises expensive. */
const isChecked = process.env['NODE_ENV'] === 'test';

/** Runs the work of a transaction, so that a request to another process inside it is noticed. */
export function asTransaction<T>(work: () => Promise<T>): Promise<T> {
  if (!isChecked) return work();
  const transaction = { isOpen: true };
  return current.run(transaction, work).finally(() => {
    transaction.isOpen = false;
  });
}

/**
 * Throws inside of an open transaction. All code that asks another process, over the bus or over HTTP, calls this, without exception. A
 * transaction that waits for an answer holds one of few connections meanwhile: two services that ask each other would starve each other.
 */
export function refuseInTransaction(what: string): void {
  if (current.getStore()?.isOpen) throw new Error(`${what} inside an open transaction: ask before it or after it`);
}
