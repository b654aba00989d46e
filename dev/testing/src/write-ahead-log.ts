import { execute, many, openDatabase } from '@codase/runtime/db';

/**
 * Yields the segments of the write-ahead log that a Postgres server has written since a moment, for all its databases. A row that was
 * changed or deleted meanwhile is still in the log in its old form. The URL is that of a superuser.
 */
export async function* writtenSince(adminUrl: string, since: Date): AsyncGenerator<Buffer> {
  const db = await openDatabase({ url: adminUrl, name: 'write-ahead-log', pool: 1 });
  try {
    await execute(db, { text: 'select pg_switch_wal()', values: [] }); // a server that is not durable writes with a delay
    const segments = await many<{ path: string }>(db, {
      text: `select 'pg_wal/' || name as path from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and modification >= $1`,
      values: [since],
    });
    for (const { path } of segments) {
      const [segment] = await many<{ bytes: Buffer | null }>(db, {
        text: 'select pg_read_binary_file($1, 0, 1 << 26, true) as bytes',
        values: [path],
      });
      if (segment?.bytes) yield segment.bytes;
    }
  } finally {
    await db.destroy();
  }
}
