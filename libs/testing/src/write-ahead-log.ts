import { many, openDatabase } from '@cds/runtime/db';

/**
 * What a Postgres server wrote since then, for all its databases, piece by piece of its write-ahead log: a row that was changed or deleted
 * meanwhile still stands there as it was. The URL is that of a superuser.
 */
export async function* writtenSince(adminUrl: string, since: Date): AsyncGenerator<Buffer> {
  const db = await openDatabase({ url: adminUrl, name: 'write-ahead-log', pool: 1 });
  try {
    await many(db, { text: 'select pg_switch_wal()', values: [] }); // a server that need not be durable writes a moment later
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
