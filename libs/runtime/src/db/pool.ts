import { AsyncResource } from 'node:async_hooks';
import type Pg from 'pg';
import { backoffMs } from '../resilience/backoff.ts';
import { callFailure } from '../resilience/is-transient.ts';
import { monotonic } from '../resilience/monotonic.ts';
import { count, observe, RUNTIME_METRICS } from '../telemetry/metrics.ts';
import { CloseStatement, NamedQuery, type Done } from './named-query.ts';
import { untraced } from '../telemetry/tracing.ts';
import { pg } from './pg.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { ConnectionTenant, TENANT_SETTING } from './tenant.ts';

/** The pool's password, called at each connect. The URL would override the driver's own `password`, even without one. */
export const PASSWORD = Symbol('password');
/** Whether each statement of the pool is for the company whose work is under way. */
export const BY_COMPANY = Symbol('by company');
type PoolOptions = Pg.PoolConfig & { [PASSWORD]?: () => string | undefined; [BY_COMPANY]?: boolean };

const OPENINGS_WAITED = 4;
const LONGEST_WAIT_MS = 250;

/**
 * How long callers wait for a connection while the server restarts, counted from the first connection that it refused. When the server
 * stays away longer, nobody waits any more: each request fails at once until it is back.
 */
const RESTART_MS = 3000;
const RESTART_BACKOFF = { firstMs: 25, longestMs: 100, jitter: 0.2 };

/** The driver's message when all connections were in use for too long. */
const POOL_IN_USE = 'timeout exceeded';

/** A caller that waits for a free connection. When it has waited for long enough, a further connection is opened for it. */
interface Waiter {
  isOverdue: boolean;
  goOn(): void;
}

type Connected = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/** Returns the socket of a client, which the driver shows to nobody: with TLS it is replaced while the client connects. */
const streamOf = (client: Pg.ClientBase) => connectionOf(client).stream;
const connectionOf = (client: Pg.ClientBase) => (client as Pg.ClientBase & { connection: Pg.Connection }).connection;

/** Ends a client that got no answer. The driver reports that a moment later, and would give it to the next caller until then. */
function endIfClosed(client: Pg.PoolClient): void {
  if (streamOf(client).destroyed) void (client as Pg.PoolClient & Pg.Client).end();
}

/** The pools of this process by their server. */
const POOLS = new Map<string, Set<ConnectionPool>>();

/**
 * A client that asks for its password when it connects, sends statements that are begun at once in one packet, and prepares those with
 * parameters that it runs again.
 */
class PipeliningClient extends pg.Client {
  private readonly statements = new PreparedStatements((name) => void super.query(new CloseStatement(name)));
  private readonly tenant: ConnectionTenant;

  constructor(options: PoolOptions) {
    super({ ...options, pipeline: true });
    // Set afterwards, because the driver lets an address without a password override the option.
    if (options[PASSWORD]) (this as { password: unknown }).password = options[PASSWORD];
    this.tenant = new ConnectionTenant({ byCompany: options[BY_COMPANY] ?? false });
  }

  override query(...args: unknown[]): never {
    const stream = streamOf(this);
    stream.cork();
    process.nextTick(() => stream.uncork());
    const [given, values] = args as [Given, unknown[] | undefined];
    const text = textOf(given);
    this.setTenant(text);
    if (isNamed(given)) return this.queryNamed(given, values!) as never;
    const name = values?.length ? this.statements.nameOf(text, this.tenant.inTransaction) : undefined;
    if (name === undefined) return super.query(...(args as [string])) as never;
    return this.queryNamed({ ...(typeof given === 'object' && given), name, text }, values!) as never;
  }

  /**
   * Sets the company whose work is under way, in the packet of its statement, unless the connection is set for it. If that fails, the
   * connection ends, because the statement was sent for another company; in a transaction that has failed, the statement fails too.
   */
  private setTenant(text: string): void {
    const setting = this.tenant.before(text);
    if (!setting) return;
    const isSet: Done = (error) => {
      if (codeOf(error) === FAILED_TRANSACTION) this.tenant.forget();
      else if (error) this.breakOff(error);
    };
    untraced(() => this.send(SET_TENANT, [setting.value, setting.isLocal], isSet));
  }

  /** Ends the connection, and fails what was sent on it. To destroy the stream is not enough: more answers may have been read from it. */
  private breakOff(error: Error): void {
    connectionOf(this).emit('error', error);
    streamOf(this).destroy();
  }

  /**
   * Runs a named statement. One that the server cannot run any more is prepared again, and runs then; a transaction has failed with it, and
   * its next attempt finds it prepared anew.
   */
  private queryNamed(named: Named, values: unknown[]): Promise<Pg.QueryResult> {
    const { company } = this.tenant;
    return new Promise((resolve, reject) => {
      this.send(named, values, (error, result) => {
        if (!error) return resolve(result);
        if (!isOutdated(error)) return reject(error);
        super.query(new CloseStatement(named.name));
        // The status is as it was before this statement: a moment later, others will have been answered too.
        if (this.getTransactionStatus() === IDLE && this.tenant.company === company) resolve(this.queryNamed(named, values));
        else reject(error);
      });
    });
  }

  /** Sends a named statement. The driver's own way copies the object member by member, which takes as long as sending it. */
  private send({ name, text, query_timeout }: Named, values: unknown[], done: Done): void {
    const query = new NamedQuery(name, text, values, done);
    super.query(query_timeout === undefined ? query : Object.assign(query, { query_timeout }));
  }
}

const SET_TENANT = { name: 'set_tenant', text: `select set_config('${TENANT_SETTING}', $1, $2)` };

/** The state of a connection without a transaction. */
const IDLE = 'I';

/** Whether a prepared statement failed because its rows have other columns or types than when it was prepared, or because it is gone. */
const isOutdated = (error: Error & { routine?: string }): boolean =>
  codeOf(error) === '26000' || (codeOf(error) === '0A000' && error.routine === 'RevalidateCachedQuery');

const codeOf = (error: (Error & { code?: string }) | null): string | undefined => error?.code;
const FAILED_TRANSACTION = '25P02';

/** A statement with a name, as `prepared` makes it. */
interface Named {
  name: string;
  text: string;
  /** How long to wait for its answer, when that is not the limit of the pool. */
  query_timeout?: number;
}
/** A statement without a name. */
type Unnamed = string | Omit<Named, 'name'>;
type Given = Named | Unnamed;

const isNamed = (given: Given): given is Named => typeof given === 'object' && 'name' in given && !('submit' in given);
const textOf = (given: Unnamed): string => (typeof given === 'string' ? given : given.text);

/**
 * A pool that opens a further connection only after it has waited for a free one for a while. That is a few times as long as the last one
 * took to open, because the first statements of a connection are slow too: the server has yet to read about the tables. Without this wait,
 * each piece of work that a service does when it starts would get a connection of its own. The pool opens one connection at a time: after a
 * restart of the server all services open theirs, and many at once take longer to open than one after the other.
 *
 * When the server takes no connections any more, the pool tries again for a while: nothing was sent yet, so any work can wait for it. When
 * the server is back, the other pools of the process open their first connection too, before a caller waits for it: a request may need
 * several.
 *
 * A connection that breaks reports it twice: to the query that was running, which fails, and by an event, which ends the process when
 * nobody listens. The query's failure is the one that counts.
 */
export class ConnectionPool extends pg.Pool {
  private readonly waiting: Waiter[] = [];
  private isOpening = false;
  private hasOpened = false;
  /** How long it took to open the last connection; a guess at first. */
  private openingMs = 20;
  private hasConnected = false;
  private awaySince: number | undefined;
  /** The callers that wait for a server that restarts; undefined when it does not. */
  private restarting: (() => void)[] | undefined;
  private readonly unobserve: () => void;

  constructor(options: PoolOptions) {
    super({ Client: PipeliningClient, ...options } as Pg.PoolConfig);
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('release', (_error, client) => endIfClosed(client));
    this.on('release', () => process.nextTick(() => this.hasFree && this.waiting.shift()?.goOn())); // it is free a moment after the event
    this.unobserve = observePool(this, options.application_name ?? 'unnamed');
    this.neighbours.add(this);
  }

  private get neighbours(): Set<ConnectionPool> {
    const { host, port } = this.options;
    if (host === undefined) return new Set();
    const server = `${host}:${port}`;
    const pools = POOLS.get(server) ?? new Set();
    POOLS.set(server, pools);
    return pools;
  }

  override connect(): Promise<Pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Pg.PoolClient> | void {
    if (callback) return this.take(callback);
    return new Promise((resolve, reject) => this.take((error, client) => (error ? reject(error) : resolve(client!))));
  }

  override end(...args: unknown[]): Promise<void> {
    this.unobserve();
    this.neighbours.delete(this);
    return super.end(...(args as []));
  }

  /** How many callers wait for a connection, whether or not one is being opened; not one that is given a free one now. */
  get queuedCount(): number {
    return Math.max(0, this.waitingCount - this.idleCount) + this.waiting.length + (this.restarting?.length ?? 0);
  }

  protected take(callback: Connected): void {
    const taken: Connected = (error, client, release) => {
      if (error && this.isWaitedFor(error)) return this.takeWhenBack(callback);
      if (!error) this.isThere();
      callback(error, client, release);
    };
    if (this.hasFree) super.connect(taken);
    else if (this.restarting) this.takeWhenBack(callback);
    else if (this.isFull) super.connect(taken);
    else if (this.totalCount === 0) this.open(taken);
    else this.waitForFree(() => (this.hasFree || this.restarting || this.isFull ? this.take(callback) : this.open(taken)));
  }

  private get isFull(): boolean {
    return this.totalCount >= this.options.max;
  }

  protected isThere(): void {
    const isBack = this.awaySince !== undefined;
    [this.hasConnected, this.awaySince] = [true, undefined];
    if (isBack) for (const pool of this.neighbours) pool.openFirst();
  }

  /** Opens a connection if the pool had some and has none any more. */
  private openFirst(): void {
    if (!this.hasOpened || this.totalCount > 0 || this.restarting || this.ending) return;
    this.open((error, _client, release) => {
      if (!error) release(); // a caller that needs a connection will meet the error itself
    });
  }

  /** Whether to wait for the server after this error: not for one that was never reached, nor while all connections are used. */
  private isWaitedFor(error: Error): boolean {
    if (!this.hasConnected || this.ending || !callFailure(error) || error.message.startsWith(POOL_IN_USE)) return false;
    this.awaySince ??= monotonic();
    return monotonic() - this.awaySince < RESTART_MS;
  }

  private takeWhenBack(callback: Connected): void {
    const again = AsyncResource.bind(() => this.take(callback));
    if (this.restarting) return void this.restarting.push(again);
    this.restarting = [again];
    this.askLater(1);
  }

  /** Tries to connect once for all callers that wait: a server that recovers has better things to do than to refuse them one by one. */
  private askLater(attempt: number): void {
    count(RUNTIME_METRICS.connectRetried, { 'codase.check': 'postgres' });
    const ask = () =>
      this.open((error, _client, release) => {
        if (error && this.isWaitedFor(error)) return this.askLater(attempt + 1);
        const waiting = this.restarting ?? [];
        this.restarting = undefined;
        if (!error) {
          this.isThere();
          release();
        }
        for (const again of waiting) again();
      });
    setTimeout(ask, backoffMs(RESTART_BACKOFF, attempt));
  }

  /** Whether a connection is free beyond those that are being given to callers in this very moment. */
  private get hasFree(): boolean {
    return this.idleCount > this.waitingCount;
  }

  /** Waits for a free connection. `goOn` runs in the async context of the caller that waits, not of the one that sets a connection free. */
  private waitForFree(goOn: () => void): void {
    const overdue = () => {
      waiter.isOverdue = true;
      this.serveOverdue();
    };
    const timer = setTimeout(overdue, Math.min(this.openingMs * OPENINGS_WAITED, LONGEST_WAIT_MS));
    const waiter: Waiter = {
      isOverdue: false,
      goOn: AsyncResource.bind(() => {
        clearTimeout(timer);
        goOn();
      }),
    };
    this.waiting.push(waiter);
  }

  /** Opens a connection for the first caller that has waited for long enough, unless one is being opened already. */
  private serveOverdue(): void {
    while (!this.isOpening) {
      const first = this.waiting.findIndex(({ isOverdue }) => isOverdue);
      if (first < 0) return;
      this.waiting.splice(first, 1)[0]!.goOn();
    }
  }

  private open(callback: Connected): void {
    const startedAt = performance.now();
    this.isOpening = true;
    super.connect((error, client, release) => {
      this.isOpening = false;
      if (!error) [this.hasOpened, this.openingMs] = [true, performance.now() - startedAt];
      callback(error, client, release);
      if (error) for (const { goOn } of this.waiting.splice(0)) goOn();
      else this.serveOverdue();
    });
  }
}

/** A pool that opens no connection before it is used. Until then every attempt succeeds, and gives no connection. */
export class PoolOnDemand extends ConnectionPool {
  private isUsed = false;

  /** Lets the pool connect from now on. The server counts as reachable, because another pool has a connection to it. */
  use(): void {
    this.isUsed = true;
    this.isThere();
  }

  protected override take(callback: Connected): void {
    if (this.isUsed) super.take(callback);
    else callback(undefined, undefined, () => undefined);
  }
}

function observePool(pool: ConnectionPool, name: string): () => void {
  const own = { 'codase.pool': name };
  const ends = [
    observe(RUNTIME_METRICS.poolConnections, () => [
      [pool.totalCount - pool.idleCount, { ...own, 'codase.state': 'used' }],
      [pool.idleCount, { ...own, 'codase.state': 'idle' }],
    ]),
    observe(RUNTIME_METRICS.poolWaiting, () => [[pool.queuedCount, own]]),
    observe(RUNTIME_METRICS.poolLimit, () => [[pool.options.max, own]]),
  ];
  return () => ends.forEach((end) => end());
}
