import type Pg from 'pg';
import type { DataSource } from 'typeorm';
import { CopiedBytes } from './copied-bytes.ts';
import { pg } from './pg.ts';
import type { Sql } from './sql.ts';

/** The lengths of what Postgres sends around the values: the head of a binary copy, counts and lengths, and the end. */
const [HEAD_BYTES, COUNT_BYTES, LENGTH_BYTES, END_BYTES] = [19, 2, 4, 2];
const MAX_VALUES = 4;
/** How much longer than the values the caller's memory must be. */
export const AROUND_VALUE_BYTES = HEAD_BYTES + COUNT_BYTES + MAX_VALUES * LENGTH_BYTES + END_BYTES;

/** The caller's memory is too short for the values; the connection is in order. */
export class ValueTooLong extends Error {}

/**
 * Returns the values of the one row that a query finds, as bytes in memory of the caller; undefined when there is no row. It is for texts
 * that are long and many: the driver makes a string of every value except of copied data.
 */
export async function longRow(db: DataSource, { text, values }: Sql, into: Buffer): Promise<(Buffer | null)[] | undefined> {
  const runner = db.createQueryRunner();
  try {
    const client = (await runner.connect()) as Pg.PoolClient;
    return rowIn(await copied(client, `copy (${withLiterals(text, values)}) to stdout (format binary)`, into));
  } finally {
    await runner.release();
  }
}

/** Writes the values into the statement, because a copy takes no parameters. */
const withLiterals = (text: string, values: readonly unknown[]): string =>
  text.replace(/\$(\d+)/g, (_, nth: string) => pg.escapeLiteral(String(values[Number(nth) - 1])));

function rowIn(copy: Buffer): (Buffer | null)[] | undefined {
  const count = copy.readInt16BE(HEAD_BYTES);
  if (count < 0) return undefined;
  let at = HEAD_BYTES + COUNT_BYTES;
  return Array.from({ length: count }, () => {
    const length = copy.readInt32BE(at);
    at += LENGTH_BYTES;
    return length < 0 ? null : copy.subarray(at, (at += length));
  });
}

const copied = (client: Pg.PoolClient, statement: string, into: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const query = new CopyOut(statement, into, (error, copy) => (copy ? resolve(copy) : reject(error as Error)));
    client.query(query);
  });

/** The driver's class `Query`, whose types leave out how it handles messages. */
const Query = pg.Query as unknown as new (config: { text: string; callback: Done }) => Pg.Submittable & { callback: Done };
type Done = (error: unknown, copy?: Buffer) => void;

/** A query of the driver that collects what is copied. The driver replaces `callback` by one that also ends its time limit. */
class CopyOut extends Query {
  private readonly bytes: CopiedBytes;

  constructor(
    private readonly statement: string,
    into: Buffer,
    callback: Done,
  ) {
    super({ text: statement, callback });
    this.bytes = new CopiedBytes(into);
  }

  override submit = (connection: Pg.Connection): void => {
    connection.query(this.statement);
    this.bytes.takeFrom(connection.stream);
  };

  /** Called when the driver has read the data after all. The driver's memory is valid only during the call. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.bytes.add(chunk);
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    const { taken } = this.bytes;
    if (taken) this.callback(undefined, taken);
    else this.callback(new ValueTooLong('a value is longer than the memory for it'));
  }

  handleCommandComplete(): void {}
}
