import type { DataSource, EntityManager } from 'typeorm';
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
