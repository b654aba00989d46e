import { FEED_STREAM_DAYS, Refusal } from '@codase/contracts';
import { systemClock, type Clock } from '@codase/runtime/clock';
import { isTransient, retry } from '@codase/runtime/resilience';
import { openLog, type Log, RUNTIME_METRICS } from '@codase/runtime/telemetry';
import type { Inbox, Noted } from './inbox.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than the stream keeps events, so no event can come again after its note was deleted. */
const KEEP_DAYS = FEED_STREAM_DAYS + 1;
const IDLE_SECONDS = 120;
const FORGET_AT_ONCE = 1000;
const FORGET_EVERY_MS = 60_000;
/** How long to wait for a database that is still starting, and the pauses between two attempts. */
const CONNECT_SECONDS = 60;
const BACKOFF = { firstMs: 100, longestMs: 2000 };
const POSTGRES = { 'codase.check': 'postgres' };
/** The error code with which Postgres ends a transaction that was idle for too long (idle_in_transaction_session_timeout). */
const IDLE_TOO_LONG = '25P03';

/**
 * The table of the inbox, for services that keep their schema in migrations. Otherwise it is created at the start. Up to version 0.1 the
 * table was named `cds_inbox`; it keeps its rows, so that no event is handled twice.
 */
export const INBOX_SQL = `
  alter table if exists cds_inbox rename to codase_inbox;
  alter index if exists cds_inbox_handled_at rename to codase_inbox_handled_at;
  create table if not exists codase_inbox (
    consumer text not null,
    message_id text not null,
    handled_at timestamptz not null,
    primary key (consumer, message_id)
  );
  create index if not exists codase_inbox_handled_at on codase_inbox (handled_at);
`;

/** Deletes old notes. Replicas take different rows, so none waits for another. */
const FORGET_SQL = `
  delete from codase_inbox where (consumer, message_id) in (
    select consumer, message_id from codase_inbox where handled_at < $1 order by handled_at limit $2 for update skip locked
  )
`;

/** Deletes the notes of messages that were not handled after all, in the transaction that wrote them. */
const TAKE_BACK_SQL = 'delete from codase_inbox where consumer = $1 and message_id = any($2::text[])';

interface Answered {
  rows: unknown[];
  rowCount: number | null;
  command: string;
}

/** The part of pg's PoolClient that is used here. */
interface Connection {
  /** Returns a list of answers when the text has several statements. */
  query(text: string, values?: unknown[]): Promise<Answered>;
  escapeLiteral(text: string): string;
  release(broken?: boolean): void;
  on(event: 'error', heard: (error: Error) => void): unknown;
  off(event: 'error', heard: (error: Error) => void): unknown;
}

/** The part of pg's Pool that is used here. You bring the pool, and pg with it. */
export interface PostgresPool {
  connect(): Promise<Connection>;
  on(event: 'error', heard: () => void): unknown;
  on(event: 'connect', heard: (connection: Connection) => void): unknown;
}

/** The type of the client that a pool hands out, as the pool's own types say it. */
type ClientOf<P extends PostgresPool> = P['connect'] extends { (): Promise<infer Client>; (callback: never): void } ? Client : Connection;

/** Options of the inbox. The defaults suit a stream and handlers as the suite runs them. */
export interface PostgresInboxOptions {
  clock?: Clock;
  /** How long a note is kept. This must be longer than the stream keeps events. */
  keepDays?: number;
  /** How long a handler may leave its transaction idle; 120 when absent. One that froze would block its replicas for ever. */
  idleSeconds?: number;
  /** How long the start waits for a database that cannot be reached, before the start fails. */
  connectSeconds?: number;
  /** Gets a line when the inbox waits for its database. */
  log?: Log;
}

/** Creates an inbox in the table `codase_inbox` of your own database. A handler gets the transaction as pg's client. */
export const postgresInbox = <P extends PostgresPool>(pool: P, options: PostgresInboxOptions = {}): Inbox<ClientOf<P>> =>
  new PostgresInbox(pool, options) as Inbox<unknown> as Inbox<ClientOf<P>>;

class PostgresInbox implements Inbox<Connection> {
  private readonly pool: PostgresPool;
  private readonly clock: Clock;
  private readonly keepMs: number;
  private readonly idleSeconds: number;
  private readonly beginning: string;
  private readonly connectSeconds: number;
  private readonly log: Log | undefined;
  private forgotAt = -Infinity;

  constructor(
    pool: PostgresPool,
    { clock = systemClock, keepDays = KEEP_DAYS, idleSeconds = IDLE_SECONDS, connectSeconds = CONNECT_SECONDS, log }: PostgresInboxOptions,
  ) {
    this.pool = pool;
    this.connectSeconds = connectSeconds;
    this.log = log;
    this.clock = clock;
    this.keepMs = keepDays * DAY_MS;
    this.idleSeconds = idleSeconds;
    this.beginning = `begin; set local idle_in_transaction_session_timeout = ${Math.ceil(idleSeconds * 1000)}`;
    // An idle connection that breaks emits an error event, which ends the process when nobody listens. The pool opens another connection.
    pool.on('error', unheard);
    // A server that dies may report it in the same bytes that made a new connection ready, before the caller of `connect` can listen.
    pool.on('connect', (connection) => connection.on('error', unheard));
  }

  /** Waits for a database that is still starting or restarting: services and their database start in any order. */
  async prepare(): Promise<void> {
    const seconds = this.connectSeconds;
    const onRetry = (error: unknown, attempts: number) => {
      if (attempts === 1) (this.log ?? openLog('inbox')).warn('waiting for the database of the inbox, which cannot be reached', { error });
    };
    const options = {
      bound: { withinMs: seconds * 1000 },
      backoff: BACKOFF,
      metric: RUNTIME_METRICS.connectRetried,
      attributes: POSTGRES,
    } as const;
    await retry(() => this.createTable(), { ...options, isWorth: isUnreachable, onRetry }).catch((error: unknown) => {
      throw isUnreachable(error) ? gaveUp(seconds, error) : error;
    });
  }

  /** Creates the table unless it exists. When the role may not create tables, the table must have been created before. */
  private async createTable(): Promise<void> {
    await this.within(async (connection) => {
      const { rows } = await connection.query(`select to_regclass('codase_inbox') as standing`);
      const isStanding = (rows as { standing: string | null }[])[0]?.standing !== null;
      // Two replicas that start at once must not both create it.
      if (!isStanding) await connection.query(`select pg_advisory_xact_lock(hashtext('codase_inbox')); ${INBOX_SQL}`).catch(notCreated);
    });
  }

  async once({ consumer, message_id }: Noted, work: (tx: Connection) => Promise<void>): Promise<boolean> {
    let wasNew = false;
    await this.onceAll(consumer, [message_id], async (tx, isNew) => {
      wasNew = isNew.size > 0;
      if (wasNew) await work(tx);
      return 1;
    });
    return wasNew;
  }

  async onceAll(
    consumer: string,
    message_ids: readonly string[],
    work: (tx: Connection, isNew: ReadonlySet<string>) => Promise<number>,
  ): Promise<void> {
    await this.forget();
    await this.within(async (connection) => {
      const isNew = await this.begin(connection, consumer, message_ids);
      const handled = new Set(message_ids.slice(0, await work(connection, isNew)));
      const left = [...isNew].filter((id) => !handled.has(id));
      if (left.length > 0) await connection.query(TAKE_BACK_SQL, [consumer, left]);
      await end(connection);
    });
  }

  /**
   * Begins the transaction, notes the messages, and returns which notes are new. Waits for a replica that handles one of the messages right
   * now. All of this is one round trip, since every event pays for it. Notes are written in the order of the messages, so that two replicas
   * with the same messages cannot wait for each other.
   */
  private async begin(connection: Connection, consumer: string, message_ids: readonly string[]): Promise<Set<string>> {
    const [group, now, ids] = [consumer, this.clock.now().toISOString(), arrayOf(message_ids)].map((text) => literal(connection, text));
    try {
      const insert = `insert into codase_inbox (consumer, message_id, handled_at)
        select ${group}, id, ${now}::timestamptz from unnest(${ids}::text[]) as id on conflict do nothing returning message_id`;
      const answers: unknown = await connection.query(`${this.beginning}; ${insert}`);
      const { rows } = (answers as Answered[]).at(-1)!;
      return new Set((rows as { message_id: string }[]).map(({ message_id }) => message_id));
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Deletes one portion of old notes at a time, so that no event waits long for it. After a failure it is tried again a minute later. */
  private async forget(): Promise<void> {
    if (performance.now() - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = performance.now();
    const before = new Date(this.clock.now().getTime() - this.keepMs);
    const removed = await this.within((connection) => connection.query(FORGET_SQL, [before, FORGET_AT_ONCE])).catch(() => undefined);
    if (removed?.rowCount === FORGET_AT_ONCE) this.forgotAt = -Infinity;
  }

  /**
   * Runs work on a connection of the pool. When the work fails, it is rolled back. When the rollback fails too, the connection is dropped.
   * Postgres gives the reason why it ended a connection only in an error event: the next query fails like that of an unreachable database.
   */
  private async within<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    let lost: Error | undefined;
    const hear = (error: Error) => void (lost ??= error);
    connection.on('error', hear);
    const giveBack = (isBroken: boolean) => {
      connection.off('error', hear);
      connection.release(isBroken);
    };
    try {
      const result = await work(connection);
      giveBack(false);
      return result;
    } catch (error) {
      giveBack(
        await connection.query('rollback').then(
          () => false,
          () => true,
        ),
      );
      const idle = [error, lost].find(isIdleTooLong);
      throw idle && !(error instanceof Refusal) ? leftIdle(this.idleSeconds, idle) : error;
    }
  }
}

/** Writes a text as an SQL literal. pg's own function looks at each character, so it is called only when something must be escaped. */
const literal = (connection: Connection, text: string): string => (/['\\]/.test(text) ? connection.escapeLiteral(text) : `'${text}'`);

/** Writes texts as one array literal of Postgres, which is read faster than one literal for each text. */
const arrayOf = (texts: readonly string[]): string => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`;

/** Ignores an error event: the query that was running fails too, and its error is handled. */
const unheard = () => undefined;

function unavailable(cause: unknown): Refusal {
  const why = 'The inbox cannot begin: its database does not answer, or the table codase_inbox is not usable';
  return Object.assign(new Refusal('service.unavailable').because(why), { cause });
}

/** Whether the database cannot be reached, by the cause of the error: the refusal around it says only that the event waits. */
const isUnreachable = (error: unknown): boolean => isTransient(error instanceof Refusal ? error.cause : error);

const gaveUp = (seconds: number, cause: unknown) =>
  new Error(
    `The inbox waited ${seconds} seconds for its database and could not reach it: see that Postgres runs where the pool looks for it`,
    { cause },
  );

const isIdleTooLong = (error: unknown): boolean => (error as { code?: unknown } | undefined)?.code === IDLE_TOO_LONG;

/** The same handler would do the same again, so this error is not transient: its event is parked after the last attempt. */
const leftIdle = (seconds: number, cause: unknown) =>
  new Error(
    `The handler left its transaction idle for more than ${seconds} seconds: move the wait out of the handler, or raise idleSeconds`,
    { cause },
  );

/** Commits. If a statement failed and the handler caught its error, Postgres turns the commit into a rollback and says so only here. */
async function end(connection: Connection): Promise<void> {
  const { command } = await connection.query('commit');
  if (command === 'COMMIT') return;
  throw new Error('A statement failed and the handler went on, so nothing was committed: let the error through, or use a savepoint');
}

function notCreated(cause: unknown): never {
  throw new Error('The table codase_inbox is missing and this role may not create it: run INBOX_SQL as the owner, in a migration', {
    cause,
  });
}
