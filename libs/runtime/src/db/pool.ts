import { AsyncResource } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type Pg from 'pg';
import { observe, RUNTIME_METRICS } from '../telemetry/metrics.ts';

/** Required, not imported: the tracing hook sees what is required. */
export const pg = createRequire(import.meta.url)('pg') as typeof Pg;

/** Of the pool's options: asked at each connect. The driver's own `password` would lose to the URL's, even where that has none. */
export const PASSWORD = Symbol('password');
type PoolOptions = Pg.PoolConfig & { [PASSWORD]?: () => string | undefined };

const OPENINGS_WAITED = 4;
const LONGEST_WAIT_MS = 250;

type Connected = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/** Asks for its password when it connects. */
class LivePasswordClient extends pg.Client {
  constructor(options: PoolOptions) {
    super(options);
    if (options[PASSWORD]) (this as { password: unknown }).password = options[PASSWORD];
  }
}

/**
 * Opens a further connection only after having waited for a free one for a while, which is a few times what the last took to open: its
 * first statements are slow too, because the server has yet to read about the tables. Without that, all that a service does when it starts
 * gets a connection of its own.
 *
 * A connection that breaks says so twice: to the query that was running, which fails, and by an event that ends the
 * process where nobody listens. The query's failure is the one that counts.
 */
export class ConnectionPool extends pg.Pool {
  private readonly waiting: (() => void)[] = [];
  /** How long it took to open the last one; a guess at first. */
  private openingMs = 20;
  private readonly unobserve: () => void;

  constructor(options: PoolOptions) {
    super({ Client: LivePasswordClient, ...options } as Pg.PoolConfig);
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('release', () => process.nextTick(() => this.hasFree && this.waiting.shift()?.())); // it is free a moment after it says so
    this.unobserve = observePool(this, options.application_name ?? 'unnamed');
  }

  override connect(): Promise<Pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Pg.PoolClient> | void {
    if (callback) return this.take(callback);
    return new Promise((resolve, reject) => this.take((error, client) => (error ? reject(error) : resolve(client!))));
  }

  override end(...args: unknown[]): Promise<void> {
    this.unobserve();
    return super.end(...(args as []));
  }

  /** Who waits for a connection, opened or not. */
  get queuedCount(): number {
    return this.waitingCount + this.waiting.length;
  }

  private take(callback: Connected): void {
    if (this.hasFree || this.totalCount >= this.options.max) super.connect(callback);
    else if (this.totalCount === 0) this.open(callback);
    else this.waitForFree(() => (this.hasFree ? super.connect(callback) : this.open(callback)));
  }

  /** Those who were promised one in this very moment come first. */
  private get hasFree(): boolean {
    return this.idleCount > this.waitingCount;
  }

  /** Goes on in the context of who waits, not of who sets a connection free. */
  private waitForFree(goOn: () => void): void {
    const turn = AsyncResource.bind(() => {
      clearTimeout(timer);
      goOn();
    });
    const timer = setTimeout(
      () => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        goOn();
      },
      Math.min(this.openingMs * OPENINGS_WAITED, LONGEST_WAIT_MS),
    );
    this.waiting.push(turn);
  }

  private open(callback: Connected): void {
    const startedAt = performance.now();
    super.connect((error, client, release) => {
      if (!error) this.openingMs = performance.now() - startedAt;
      callback(error, client, release);
    });
  }
}

function observePool(pool: ConnectionPool, name: string): () => void {
  const own = { 'cds.pool': name };
  const ends = [
    observe(RUNTIME_METRICS.poolConnections, () => [
      [pool.totalCount - pool.idleCount, { ...own, 'cds.state': 'used' }],
      [pool.idleCount, { ...own, 'cds.state': 'idle' }],
    ]),
    observe(RUNTIME_METRICS.poolWaiting, () => [[pool.queuedCount, own]]),
    observe(RUNTIME_METRICS.poolLimit, () => [[pool.options.max, own]]),
  ];
  return () => ends.forEach((end) => end());
}
