import { AsyncLocalStorage } from 'node:async_hooks';

const proven = new AsyncLocalStorage<string>();

/** Does the work of an act over which a device has signed a statement: the audit rows of the work keep the statement. */
export const onStatement = <T>(statement: string | undefined, work: () => T): T =>
  statement === undefined ? work() : proven.run(statement, work);

/** The checked statement of the act under way; undefined when there is none. */
export const currentStatement = (): string | undefined => proven.getStore();
