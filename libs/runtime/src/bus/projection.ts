import { Kvm, type KV, type KvWatchEntry } from '@nats-io/kv';
import type { QueuedIterator } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { Log } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';

/** A table that one service owns and others follow at once, kept in a NATS key-value bucket. */
export interface ProjectionShape<S extends z.ZodType> {
  bucket: string;
  shape: S;
  /** How long a row is kept; for ever when absent. */
  ttlSeconds?: number;
}

/** Creates the bucket; part of bringing a plane up, so that services need no right to. */
export async function ensureProjection(bus: Bus, { bucket, ttlSeconds }: ProjectionShape<z.ZodType>, { replicas = 1 } = {}): Promise<void> {
  await new Kvm(bus.connection).create(bucket, { replicas, history: 1, ...(ttlSeconds && { ttl: ttlSeconds * 1000 }) });
}

/** The owner's side. */
export class ProjectionWriter<S extends z.ZodType> {
  private constructor(private readonly kv: KV) {}

  static async open<S extends z.ZodType>(bus: Bus, { bucket }: ProjectionShape<S>): Promise<ProjectionWriter<S>> {
    return new ProjectionWriter<S>(await new Kvm(bus.connection).open(bucket));
  }

  async put(key: string, value: z.input<S>): Promise<void> {
    await this.kv.put(key, JSON.stringify(value));
  }

  async remove(key: string): Promise<void> {
    await this.kv.delete(key);
  }
}

/** A follower's side: the whole table in memory, kept current by a watch that outlives a lost connection. */
export class ProjectionReader<S extends z.ZodType> {
  private readonly rows = new Map<string, z.output<S>>();
  private readonly ages = new Map<string, number>();
  private following = true;
  private taken = 0;

  private constructor(
    private readonly table: ProjectionShape<S>,
    private readonly log: Log,
    private readonly entries: QueuedIterator<KvWatchEntry>,
  ) {}

  static async open<S extends z.ZodType>(bus: Bus, table: ProjectionShape<S>, log: Log): Promise<ProjectionReader<S>> {
    const kv = await new Kvm(bus.connection).open(table.bucket);
    const { values } = await kv.status();
    const reader = new ProjectionReader(table, log, await kv.watch());
    const complete = reader.follow();
    if (values > 0) await complete;
    return reader;
  }

  get(key: string): z.output<S> | undefined {
    return this.rows.get(key);
  }

  /** Every row; ask `version` whether they have changed since. */
  all(): readonly z.output<S>[] {
    return [...this.rows.values()];
  }

  /** Grows with every change that was read, so that what was made of the rows can be made anew. */
  get version(): number {
    return this.taken;
  }

  /** False once the watch has ended: from then on the table grows old, and whoever stands on it is not ready. */
  get isFollowing(): boolean {
    return this.following;
  }

  get size(): number {
    return this.rows.size;
  }

  async close(): Promise<void> {
    this.entries.stop();
  }

  /** Resolves once what the bucket held at the start has been read; goes on reading after that. */
  private follow(): Promise<void> {
    return new Promise((resolve, reject) => {
      const read = async () => {
        for await (const entry of this.entries) {
          this.take(entry);
          if ((entry.delta ?? 0) === 0) resolve();
        }
      };
      read()
        .catch((error: unknown) => {
          this.log.error('projection is no longer followed', { 'cds.check': this.table.bucket, error });
          reject(error);
        })
        .finally(() => (this.following = false));
    });
  }

  private take(entry: KvWatchEntry): void {
    this.taken++;
    if (entry.operation !== 'PUT') return void this.rows.delete(entry.key);
    const row = this.table.shape.safeParse(parsed(entry.string()));
    if (row.success) this.keep(entry, row.data);
    else this.log.error('projection row does not fit its shape and was left out', { 'cds.check': this.table.bucket });
  }

  /** The server does not say when a row grew too old, so the reader drops it, oldest first. */
  private keep({ key, created }: KvWatchEntry, row: z.output<S>): void {
    this.rows.delete(key);
    this.rows.set(key, row);
    if (this.table.ttlSeconds === undefined) return;
    this.ages.delete(key);
    this.ages.set(key, created.getTime());
    const oldest = created.getTime() - this.table.ttlSeconds * 1000;
    for (const [old, at] of this.ages) {
      if (at > oldest) break;
      this.ages.delete(old);
      this.rows.delete(old);
    }
  }
}

/** One row that is not JSON must not end the watch for all the others. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
