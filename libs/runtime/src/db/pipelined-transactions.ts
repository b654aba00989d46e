import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { together } from './sql.ts';

/**
 * Runs a transaction whose statements are all sent together with its begin and its commit, in one packet. The work begins all of them
 * before it waits for the first. Each of them must do no harm in a transaction of its own: they run like that if the begin alone fails.
 */
export async function transactionAtOnce<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  const runner = db.createQueryRunner();
  try {
    await runner.connect();
    return await asTransaction(async () => {
      // The work is called by an async function, so that the commit is sent even if the work throws.
      const begun = [runner.query('START TRANSACTION'), (async () => work(runner.manager))(), runner.query('COMMIT')] as const;
      Object.assign(runner, { query: tooLate });
      const [, result] = await together(begun);
      return result;
    });
  } finally {
    await runner.release();
  }
}

/** Refuses a statement that is begun after the commit: it would run in a transaction of its own. */
const tooLate = () => Promise.reject(new Error('A statement was begun after the commit: begin all statements before you wait for one.'));

/**
 * Runs a transaction whose first statements are sent together with its begin, in one packet. The work gets their results. These statements
 * must write nothing: if the begin alone failed, each would run in a transaction of its own. Nothing else is sent before all have been
 * answered.
 */
export async function transactionFrom<F, T>(
  db: DataSource,
  first: (tx: EntityManager) => Promise<F>,
  work: (tx: EntityManager, found: F) => Promise<T>,
): Promise<T> {
  const runner = db.createQueryRunner();
  const tx = runner.manager;
  try {
    await runner.connect();
    return await asTransaction(async () => {
      const [, found] = await together([begin(runner), first(tx)]);
      const result = await work(tx, found);
      await runner.commitTransaction();
      return result;
    });
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // the first failure is the one to throw
    throw error;
  } finally {
    await runner.release();
  }
}

/**
 * Does what the runner's own `startTransaction` does, but sends its statement at once: the runner lets others go first. So its two members
 * are set here, by which it knows that a transaction within this one is a savepoint.
 */
function begin(runner: QueryRunner): Promise<unknown> {
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
  return runner.query('START TRANSACTION');
}
