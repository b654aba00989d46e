import type { Pool, PoolClient } from 'pg';

/** Does work in a transaction of the bare driver. A failure ends the bench, so nothing is rolled back. */
export async function pgTransaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } finally {
    client.release();
  }
}
