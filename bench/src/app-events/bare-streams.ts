import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client, Pool } from 'pg';
import { pgTransaction } from '../harness/pg-transaction.ts';

/** The simplest program that does the same, without rules and tokens: a raise adds a row, which is read and written to a stream. */
const { PORT, DATABASE_URL } = process.env as Record<string, string>;
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
const listener = new Client({ connectionString: DATABASE_URL });
const streams = new Map<string, ServerResponse>();

const CARD = 'insert into bare_card (person, context) values ($1, $2) returning id';
const raise = ({ share_code, context }: { share_code: string; context: string }): Promise<unknown> =>
  pgTransaction(pool, async (tx) => {
    const added = await tx.query<{ id: string }>(CARD, [share_code, context]);
    await tx.query("select pg_notify('bare_card', $1)", [added.rows[0]!.id]);
  });

async function deliver(id: string): Promise<void> {
  const found = await pool.query<{ person: string; context: string }>('select person, context from bare_card where id = $1', [id]);
  const { person, context } = found.rows[0]!;
  streams.get(person)?.write(`id: ${id}\nevent: challenge_raised\ndata: ${JSON.stringify({ context })}\n\n`);
}

await listener.connect();
listener.on('notification', ({ payload }) => void deliver(payload!));
await listener.query('listen bare_card');
createServer((request, response) => {
  if (request.method === 'POST') {
    return void json(request)
      .then((body) => raise(body as { share_code: string; context: string }))
      .then(() => response.writeHead(200).end('{}'));
  }
  streams.set(new URL(request.url!, 'http://here').searchParams.get('person')!, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n');
}).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
