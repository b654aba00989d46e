import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** In tests alone: elsewhere a mistake of ours is to be slow and not to fail, and the bookkeeping makes every promise dearer. */
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
 * Called by everything that asks another process, over the bus or over HTTP, and there is no way around it. A transaction that waits for an
 * answer holds one of few connections meanwhile: two services that ask each other would starve each other.
 */
export function refuseInTransaction(what: string): void {
  if (current.getStore()?.isOpen) throw new Error(`${what} inside an open transaction: ask before it or after it`);
}
