import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { together } from './sql.ts';

/**
 * A transaction whose first statements are sent with its begin, in one packet; what they answer is given to the work. They must write
 * nothing: a begin that failed alone would have left each a transaction of its own. Nothing else is sent before all have been answered.
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
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // what failed first is what is told
    throw error;
  } finally {
    await runner.release();
  }
}

/** As the runner's own `startTransaction`, which lets others go first. */
function begin(runner: QueryRunner): Promise<unknown> {
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
  return runner.query('START TRANSACTION');
}
