import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { pgTransaction } from '../harness/pg-transaction.ts';

/** The floor of a login: the statements of the platform's three calls with the bare driver, behind bare HTTP, and nothing else. */
const { PORT, DATABASE_URL, COMPANY, SERVICE } = process.env as Record<string, string>;
const pool = new pg.Pool({ connectionString: DATABASE_URL!, max: 10 });
const HOME_LOCK = 0x686f6d65;
const PERSON_LOCK = 0x6368616c;
const LIFETIME_MS = 300_000;
const PLENTY = 1e9;

type Db = Pick<pg.PoolClient, 'query'>;

const transaction = <T>(work: (tx: Db) => Promise<T>): Promise<T> => pgTransaction(pool, work);

const charge = (key: string) =>
  pool.query(
    `insert into rate_bucket as b (key, tokens, at) values ($1, $2, $3)
     on conflict (key) do update
        set tokens = least($4, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $5::float8) - 1, at = excluded.at
      where least($4, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $5::float8) >= 1
     returning key`,
    [key, PLENTY - 1, new Date(), PLENTY, PLENTY],
  );

async function holdHome(tx: Db): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared($1, hashtext($2))', [HOME_LOCK, COMPANY]);
  await tx.query('select home from profile where user_id = $1', [COMPANY]);
}

/** Adds the app event that phones receive. */
const notify = (tx: Db, person: string, kind: string, challenge_id: string) =>
  tx.query({
    name: 'notify',
    text: `
      with log as (
        insert into app_event_log as l (person_user_id, log_id, last_seq)
        select user_id, $2, 1 from profile where user_id = $1 and home = 'here'
        on conflict (person_user_id) do update set last_seq = l.last_seq + 1
        returning person_user_id, last_seq),
      added as (
        insert into app_event (person_user_id, seq, event_id, company_user_id, kind, object_id, created_at)
        select person_user_id, last_seq, $3, $4, $5, $6, $7 from log)
      select pg_notify('app_event', person_user_id) from log`,
    values: [person, randomUUID(), `ape_${randomUUID()}`, COMPANY, kind, challenge_id, new Date()],
  });

async function raise({ share_code, idempotency_key, context }: Record<string, string>) {
  await charge('data floor');
  const hash = createHash('sha256').update(idempotency_key!).digest('base64url');
  return transaction(async (tx) => {
    await holdHome(tx);
    const enrolment = await tx.query({
      name: 'hold',
      text: `
        select e.service_id, e.connection_id, e.person_user_id, e.share_code, s.number_matching
          from service s join twofa_enrolment e on e.service_id = s.service_id
         where s.service_id = $1 and s.company_user_id = $2 and s.transition is distinct from 'deleting' and e.share_code = $3
           for share of s, e`,
      values: [SERVICE, COMPANY, share_code],
    });
    const { person_user_id, connection_id } = enrolment.rows[0] as Record<string, string>;
    await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [PERSON_LOCK, person_user_id]);
    await tx.query('select * from challenge where service_id = $1 and key_hash = $2', [SERVICE, hash]);
    const now = new Date();
    await tx.query({
      name: 'count',
      text: `
        select count(*) filter (where status = 'pending' and expires_at > $1)::int as of_person,
               count(*) filter (where status = 'pending' and expires_at > $1 and service_id = $2)::int as of_service,
               coalesce(array_agg(created_at order by created_at desc) filter (where service_id = $2), '{}') as recent
          from challenge where person_user_id = $3 and created_at > $1::timestamptz - interval '1 hour'`,
      values: [now, SERVICE, person_user_id],
    });
    const added = await tx.query(
      `insert into challenge (challenge_id, company_user_id, service_id, client_id, connection_id, person_user_id, share_code,
                              key_hash, body_hash, status, context, digits, created_at, expires_at)
       values ($1, $2, $3, 'svc_demo_shop', $4, $5, $6, $7, $7, 'pending', $8, null, $9, $10)
       on conflict (service_id, key_hash) do nothing returning *`,
      [
        `chal_${randomUUID()}`,
        COMPANY,
        SERVICE,
        connection_id,
        person_user_id,
        share_code,
        hash,
        context,
        now,
        new Date(now.getTime() + LIFETIME_MS),
      ],
    );
    const { challenge_id, expires_at } = added.rows[0] as { challenge_id: string; expires_at: Date };
    await notify(tx, person_user_id!, 'challenge_raised', challenge_id);
    return { challenge_id, status: 'pending', expires_at: expires_at.toISOString() };
  });
}

async function approve(challenge_id: string, person: string) {
  await pool.query('select home from profile where user_id = $1', [person]);
  await charge(`data ${person}`);
  return transaction(async (tx) => {
    await tx.query('select * from challenge where challenge_id = $1 and person_user_id = $2', [challenge_id, person]);
    await holdHome(tx);
    await tx.query(`select set_config('lock_timeout', '2000', true)`);
    const locked = await tx.query('select * from challenge where challenge_id = $1 for update', [challenge_id]);
    const { share_code } = locked.rows[0] as { share_code: string };
    const now = new Date();
    await tx.query(
      `insert into audit.entry (at, act, outcome, initiator, client_id, address, account_id, object, details)
       values ($1, 'challenge.answered', 'done', $2, 'app_person', '127.0.0.0/24', $3, $4, $5)`,
      [now, person, COMPANY, challenge_id, { kind: 'approved', reason: 'biometric' }],
    );
    await tx.query(
      `update challenge set status = 'approved', completed_at = $2, context = null, digits = null where challenge_id = any($1::text[])`,
      [[challenge_id], now],
    );
    const at = now.toISOString();
    const event = { event: '2fa_challenge_completed', person_user_id: person, share_code, at, challenge_id, status: 'approved' };
    await tx.query({
      name: 'emit',
      text: `
        insert into feed_event (channel, company_user_id, service_id, event, created_at, collapse_key, body)
        select $1, $2, $1, '2fa_challenge_completed', $3::timestamptz, $4, $5::json
        union all
        select webhook_id, $2, $1, '2fa_challenge_completed', $3, $4, $5 from webhook where service_id = $1 and enabled`,
      values: [SERVICE, COMPANY, now, person, JSON.stringify({ ...event, completed_at: at })],
    });
    await notify(tx, person, 'challenge_closed', challenge_id);
    return { status: 'approved', completed_at: at };
  });
}

/** Reads the outcome. The answer is sent before the commit, as the platform does. */
async function poll(challenge_id: string, answer: (body: object) => void): Promise<void> {
  await charge('data floor');
  await pool.query('select * from challenge where challenge_id = $1 and service_id = $2 and company_user_id = $3', [
    challenge_id,
    SERVICE,
    COMPANY,
  ]);
  await charge(`challenge_poll ${challenge_id}`);
  await transaction(async (tx) => {
    await holdHome(tx);
    await tx.query(`select set_config('lock_timeout', '2000', true)`);
    const locked = await tx.query('select * from challenge where challenge_id = $1 for update', [challenge_id]);
    const { status, completed_at } = locked.rows[0] as { status: string; completed_at: Date };
    await tx.query('update challenge set consumed_at = $2 where challenge_id = $1', [challenge_id, new Date()]);
    answer({ status, completed_at: completed_at.toISOString() });
  });
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = (body: object) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const [, challenge_id, person] = /^\/challenges\/([^/]+)(?:\/approve\/(.+))?$/.exec(request.url!) ?? [];
  if (request.method === 'GET') return poll(challenge_id!, answer);
  const body = (await json(request)) as Record<string, string>;
  answer(challenge_id === undefined ? await raise(body) : await approve(challenge_id, person!));
}

createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
