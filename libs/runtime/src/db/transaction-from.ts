import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { together } from './sql.ts';

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
