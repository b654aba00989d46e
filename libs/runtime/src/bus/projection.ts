import { Kvm } from '@nats-io/kv';
import { headers, type Subscription } from '@nats-io/transport-node';
import type { z } from 'zod';
import { jsonIn, tableChanges } from '@codase/contracts';
import { repeat, type Repeated } from '../resilience/repeat.ts';
import { OperatorFault } from '../operator-fault.ts';
import type { Log } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { isThere, prepared } from './streams.ts';
import { readStored, storedIn, streamState, type StoredMessage } from './stored-messages.ts';

/** A table that one service owns and others follow at once, kept in a NATS key-value bucket. */
export interface ProjectionShape<S extends z.ZodType> {
  bucket: string;
  shape: S;
  /** How long a row is kept; for ever when absent. */
  ttlSeconds?: number;
}

const OPERATION = 'KV-Operation';
const streamOf = (bucket: string): string => `KV_${bucket}`;
const subjectOf = (bucket: string, key: string): string => `$KV.${bucket}.${key}`;

/** Creates the bucket, or sets its replicas. It is part of bringing a plane up, so that services need no right to do it. */
export async function ensureProjection(bus: Bus, { bucket, ttlSeconds }: ProjectionShape<z.ZodType>, { replicas = 1 } = {}): Promise<void> {
  const stream = streamOf(bucket);
  // The server repeats on another subject what it has stored, so that followers need no right to make consumers.
  const republish = { src: subjectOf(bucket, '>'), dest: tableChanges(bucket) };
  await prepared(bus, `the bucket ${bucket}`, replicas, async () => {
    if (!(await isThere(bus, stream)))
      await new Kvm(bus.connection).create(bucket, { replicas, history: 1, republish, ...(ttlSeconds && { ttl: ttlSeconds * 1000 }) });
    const { streams } = await bus.manager();
    const { config } = await streams.info(stream);
    if (!config.republish || !config.allow_direct || config.num_replicas !== replicas)
      await streams.update(stream, { republish, allow_direct: true, num_replicas: replicas });
  });
}

/** The owner's side of a projection: it writes the rows. */
export class ProjectionWriter<S extends z.ZodType> {
  private constructor(
    private readonly bus: Bus,
    private readonly bucket: string,
  ) {}

  /** Throws when there is no such bucket. */
  static async open<S extends z.ZodType>(bus: Bus, { bucket }: ProjectionShape<S>): Promise<ProjectionWriter<S>> {
    await streamState(bus, streamOf(bucket));
    return new ProjectionWriter<S>(bus, bucket);
  }

  async put(key: string, value: z.input<S>): Promise<void> {
    await this.bus.streams.publish(subjectOf(this.bucket, key), JSON.stringify(value));
  }

  async remove(key: string): Promise<void> {
    const marks = headers();
    marks.set(OPERATION, 'DEL');
    await this.bus.streams.publish(subjectOf(this.bucket, key), '', { headers: marks });
  }
}

/** How often a follower compares its rows with the bucket, in addition to hearing each change. */
const CHECK_MS = 5000;

/** The rows as far as they have been read. */
class Replica<Row> {
  readonly rows = new Map<string, Row>();
  readonly ages = new Map<string, number>();
  /** Keys of rows that do not fit the table's shape. */
  readonly misfits = new Set<string>();
  /** The last message of the bucket that was read. */
  cursor = 0;

  constructor(readonly created: string) {}
}

/**
 * The follower's side of a projection: the whole table in memory. It hears each row as it is stored. When a row does not follow on the one
 * before, and at intervals, it reads what the bucket has stored after its cursor. It makes no consumer, because a user who may make one can
 * have the server write on any subject.
 */
export class ProjectionReader<S extends z.ZodType> {
  private replica = new Replica<z.output<S>>('');
  private following = false;
  /** Why the table is not followed, if that is known. */
  private fault: string | undefined;
  private taken = 0;
  private changes!: Subscription;
  private checks!: Repeated;
  private readonly misfitListeners: ((key: string) => void)[] = [];

  private constructor(
    private readonly bus: Bus,
    private readonly table: ProjectionShape<S>,
    private readonly log: Log,
  ) {}

  static async open<S extends z.ZodType>(bus: Bus, table: ProjectionShape<S>, log: Log): Promise<ProjectionReader<S>> {
    const reader = new ProjectionReader(bus, table, log);
    await reader.begin();
    return reader;
  }

  get(key: string): z.output<S> | undefined {
    return this.replica.rows.get(key);
  }

  /** Every row; `version` says whether they have changed since. */
  all(): readonly z.output<S>[] {
    return [...this.replica.rows.values()];
  }

  /** A number that grows with every change that was read, so that a caller knows when to compute again what it derives from the rows. */
  get version(): number {
    return this.taken;
  }

  /** False while the bucket cannot be read, or holds a row that does not fit: a service that needs the table is not ready then. */
  get isFollowing(): boolean {
    return this.problem === null;
  }

  /** Why the table cannot be relied on; null when it can. */
  get problem(): string | null {
    if (!this.following) return this.fault ?? 'the table is no longer followed';
    const { size } = this.replica.misfits;
    return size === 0 ? null : `${size === 1 ? 'a row does' : `${size} rows do`} not fit: the owner has to publish it anew`;
  }

  get size(): number {
    return this.replica.rows.size;
  }

  /** For the owner: calls the listener with the key of each row that does not fit, again at every check until it does. */
  onMisfit(listener: (key: string) => void): void {
    this.misfitListeners.push(listener);
    for (const key of this.replica.misfits) listener(key);
  }

  async close(): Promise<void> {
    this.changes.unsubscribe();
    await this.checks.stop();
    this.following = false;
    this.fault = undefined;
  }

  private async begin(): Promise<void> {
    await this.check();
    this.changes = this.bus.connection.subscribe(tableChanges(this.table.bucket), {
      callback: (_, message) => this.hear(storedIn(message)),
    });
    this.checks = repeat(() => this.check(), {
      name: 'projection check',
      pauseMs: CHECK_MS,
      backoff: { firstMs: 250, longestMs: CHECK_MS },
      onFailure: (error) => this.lost(error),
    });
  }

  /** Takes a change if it is the next one. Otherwise one was missed or the bucket made anew: the check reads what is missing. */
  private hear(message: StoredMessage): void {
    const isNext = message.seq === this.replica.cursor + 1;
    if (isNext) this.take(this.replica, message);
    if (!isNext || this.replica.misfits.size > 0) this.checks?.wake();
  }

  private async check(): Promise<void> {
    const { cursor } = this.replica; // read before the question: more may be heard while the answer is on its way
    const { created, last_seq } = await streamState(this.bus, streamOf(this.table.bucket));
    // A bucket that was made or restored anew has other messages under the same numbers: it is read from its beginning.
    const isSame = created === this.replica.created && last_seq >= cursor;
    const replica = isSame ? this.replica : new Replica<z.output<S>>(created);
    for (let isMore = replica.cursor < last_seq; isMore;) isMore = await this.readInto(replica);
    this.replica = replica;
    this.following = true;
    for (const key of replica.misfits) for (const listener of this.misfitListeners) listener(key);
  }

  private readInto(replica: Replica<z.output<S>>): Promise<boolean> {
    return readStored(this.bus, streamOf(this.table.bucket), replica.cursor + 1, (message) => this.take(replica, message));
  }

  private lost(error: unknown): void {
    if (this.following) this.log.error('projection is no longer followed', { 'codase.check': this.table.bucket, error });
    this.following = false;
    this.fault = error instanceof OperatorFault ? error.message : undefined;
  }

  private take(replica: Replica<z.output<S>>, message: StoredMessage): void {
    if (message.seq <= replica.cursor) return; // heard and also read by the check
    const key = message.subject.slice(subjectOf(this.table.bucket, '').length);
    this.taken++;
    replica.cursor = message.seq;
    replica.misfits.delete(key);
    if (message.headers.get(OPERATION)) return void replica.rows.delete(key);
    const row = this.table.shape.safeParse(jsonIn(message.text));
    if (row.success) return this.keep(replica, key, message.at, row.data);
    // The row before it stays: the owner published it, so what it allows or refuses is what the owner once said.
    replica.misfits.add(key);
    this.log.error('projection row does not fit its shape: the row before it is kept', { 'codase.check': this.table.bucket });
  }

  /** Stores a row, and drops those that are too old, oldest first: the server does not say when a row expires. */
  private keep({ rows, ages }: Replica<z.output<S>>, key: string, at: number, row: z.output<S>): void {
    rows.delete(key);
    rows.set(key, row);
    if (this.table.ttlSeconds === undefined) return;
    ages.delete(key);
    ages.set(key, at);
    const oldest = at - this.table.ttlSeconds * 1000;
    for (const [old, its] of ages) {
      if (its > oldest) break;
      ages.delete(old);
      rows.delete(old);
    }
  }
}
