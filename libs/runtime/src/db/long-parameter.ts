import type { Writable } from 'node:stream';
import type Pg from 'pg';
import type { DataSource } from 'typeorm';
import { pg } from './pg.ts';
import type { Sql } from './sql.ts';

/**
 * Runs a statement whose last value is long, and sends that value from where it lies: the driver would copy it twice, into memory that is
 * collected late. When this has settled, the caller may use the memory again. Returns how many rows came back.
 */
export async function sendLong(db: DataSource, { text, values, name }: Sql): Promise<number> {
  const runner = db.createQueryRunner();
  try {
    const client = (await runner.connect()) as Pg.PoolClient;
    const { rows } = await new Promise<Pg.QueryResult>((resolve, reject) => {
      const done = (error: Error | null, result: Pg.QueryResult) => (error ? reject(error) : resolve(result));
      client.query(new LongQuery({ text, values, name }, done));
    });
    return rows.length;
  } finally {
    await runner.release();
  }
}

interface Bind {
  statement?: string;
  values: unknown[];
}

/** The driver's class `Query`, with the step that its types leave out: it sends the values, and has no way to send them uncopied. */
const Query = pg.Query as unknown as new (
  config: Partial<Sql>,
  done: (error: Error | null, result: Pg.QueryResult) => void,
) => Pg.Submittable & { prepare(connection: Pg.Connection): void };

class LongQuery extends Query {
  override prepare(connection: Pg.Connection): void {
    const bind = (given: Bind) => bindLong(connection.stream, given);
    super.prepare(Object.create(connection, { bind: { value: bind } }) as Pg.Connection);
  }
}

const [BIND, TEXT, BINARY] = [0x42, 0, 1];

/** Writes the message that binds values to a statement; all values but the last are texts. */
function bindLong(stream: Writable, { statement = '', values }: Bind): void {
  const [long, texts] = [values.at(-1) as Uint8Array, values.slice(0, -1).map((value) => Buffer.from(String(value)))];
  const formats = values.map((_, nth) => int16(nth < texts.length ? TEXT : BINARY));
  const before = Buffer.concat([
    Buffer.from(`\0${statement}\0`),
    int16(values.length),
    ...formats,
    int16(values.length),
    ...texts.flatMap((text) => [int32(text.length), text]),
    int32(long.length),
  ]);
  const resultFormats = int16(0);
  stream.write(Buffer.concat([Buffer.from([BIND]), int32(LENGTH_BYTES + before.length + long.length + resultFormats.length), before]));
  stream.write(long);
  stream.write(resultFormats);
}

const LENGTH_BYTES = 4;

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}
