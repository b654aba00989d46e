import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomInt, randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { Pool, type PoolClient } from 'pg';
import { pgTransaction } from '../harness/pg-transaction.ts';

/** The simplest program with the same calls: bare HTTP, and the statements that raise, answer and consume a challenge. */
const { PORT, DATABASE_URL } = process.env as Record<string, string>;
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });

const routes: Record<string, (client: PoolClient, body: Record<string, string>) => Promise<object>> = {
  async '/raise'(client, { person = '', key = '', context = '' }) {
    const challenge_id = randomUUID();
    await client.query(`select pg_advisory_xact_lock(1, hashtext($1))`, [person]);
    await client.query(`select count(*) from bare_challenge where person = $1 and created_at > now() - interval '1 hour'`, [person]);
    await client.query(`insert into bare_challenge (challenge_id, person, key, context, digits) values ($1, $2, $3, $4, $5)`, [
      challenge_id,
      person,
      key,
      context,
      String(randomInt(100)),
    ]);
    return { challenge_id, status: 'pending' };
  },
  async '/approve'(client, { challenge_id = '' }) {
    await client.query(`select * from bare_challenge where challenge_id = $1 for update`, [challenge_id]);
    await client.query(`update bare_challenge set status = 'approved', context = null, digits = null where challenge_id = $1`, [
      challenge_id,
    ]);
    await client.query(`insert into bare_event (challenge_id) values ($1)`, [challenge_id]);
    return { status: 'approved' };
  },
  async '/poll'(client, { challenge_id = '' }) {
    const { rows } = await client.query(`select * from bare_challenge where challenge_id = $1 for update`, [challenge_id]);
    await client.query(`update bare_challenge set consumed_at = now() where challenge_id = $1`, [challenge_id]);
    return { status: (rows[0] as { status: string }).status };
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as Record<string, string>;
  const result = await pgTransaction(pool, (client) => routes[request.url!]!(client, body));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

await pool.query(`
  create table bare_challenge (challenge_id text primary key, person text not null, key text not null, context text, digits text,
    status text not null default 'pending', created_at timestamptz not null default now(), consumed_at timestamptz);
  create index on bare_challenge (person, created_at);
  create unique index on bare_challenge (key);
  create table bare_event (challenge_id text not null)`);
createServer((request, response) => void answer(request, response)).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
