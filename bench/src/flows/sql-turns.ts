import { randomUUID } from 'node:crypto';
import { DEMO } from '@codase/stack';
import pg from 'pg';
import type { Sample } from '../harness/bench.ts';
import { PLENTY } from '../harness/bench-stack.ts';
import { pgTransaction } from '../harness/pg-transaction.ts';
import { playRuns } from './http-turns.ts';
import type { BenchRun, FlowsStack } from './flows-stack.ts';
import type { TurnKind } from './turns.ts';

/** As many connections as a region has. */
const POOL = 10;

const ANSWERS = `
  insert into flow_run_answer (answer_id, company_user_id, run_id, slug, for_user_id, value, source_private, verification, answered_at)
  select id, $1, $2, slug, user_id, value, false, '{}', $3
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as a (id, slug, user_id, value)`;
const BUCKET = `
  insert into rate_bucket as b (key, tokens, at) values ($1, $2::float8 - 1, $3)
  on conflict (key) do update
     set tokens = least($2, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $2::float8) - 1, at = excluded.at
   where least($2, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $2::float8) >= 1`;
const RUN = `update flow_run set status = $2, current_node = $3, last_party = $4 where run_id = $1`;
const FEED = `
  insert into feed_event (channel, company_user_id, service_id, event, created_at, connection_id, body)
  values ($1, $2, $1, $3, $4, $5, $6)`;
const LOG = `
  insert into app_event_log as l (person_user_id, log_id, last_seq) values ($1, $2, 1)
  on conflict (person_user_id) do update set last_seq = l.last_seq + 1 returning last_seq`;
const APP = `
  insert into app_event (person_user_id, seq, event_id, company_user_id, kind, object_id, created_at) values ($1, $2, $3, $4, $5, $6, $7)`;

/** Writes the same rows with the bare driver, without checks and locks: as a call does, the rate bucket and the turn apart. */
export class SqlTurns {
  private readonly pool: pg.Pool;

  constructor(private readonly stack: FlowsStack) {
    this.pool = new pg.Pool({ connectionString: stack.stack.settings.databases.region_eu.app, max: POOL });
  }

  run(seconds: number): Promise<Sample> {
    return playRuns(this.stack, seconds, (run, turn) => this.write(run, turn));
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async write(run: BenchRun, turn: TurnKind): Promise<void> {
    const caller = turn.party === 'company' ? DEMO.client_id : run.person.user_id;
    await this.pool.query({ name: 'bucket', text: BUCKET, values: [`data ${caller}`, PLENTY.burst, new Date().toISOString()] });
    await pgTransaction(this.pool, (client) => this.writeIn(client, run, turn));
  }

  private async writeIn(client: pg.PoolClient, { run_id, person }: BenchRun, turn: TurnKind): Promise<void> {
    const { company_user_id } = this.stack.shop;
    const { user_id, connection_id } = person;
    const now = new Date().toISOString();
    const copies = turn.slugs.flatMap((slug) => [company_user_id, user_id].map((user) => [randomUUID(), slug, user, this.stack.sealed]));
    const columns = [0, 1, 2, 3].map((column) => copies.map((copy) => copy[column]));
    await client.query({ name: 'answers', text: ANSWERS, values: [company_user_id, run_id, now, ...columns] });
    await client.query({ name: 'run', text: RUN, values: [run_id, turn.status, turn.node, turn.party] });
    const kind = turn.next === null ? 'flow_completed' : 'flow_run_turn';
    const members = { event: kind, person_user_id: user_id, share_code: user_id, at: now, flow_run_id: run_id };
    const body = { ...members, ...(turn.next !== null && { awaiting_party: turn.next }) };
    await client.query({ name: 'feed', text: FEED, values: [DEMO.keys.shop, company_user_id, kind, now, connection_id, body] });
    if (turn.next === 'company') return;
    const { rows } = await client.query<{ last_seq: string }>({ name: 'log', text: LOG, values: [user_id, randomUUID()] });
    const event = [user_id, rows[0]!.last_seq, randomUUID(), company_user_id, kind, `${connection_id}-${run_id}`, now];
    await client.query({ name: 'app', text: APP, values: event });
  }
}
