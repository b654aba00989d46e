import { readFileSync } from 'node:fs';
import { FEED } from '@codase/contracts';
import { many, one, sql, type Db } from '@codase/runtime/db';
import type { UnitName } from '@codase/stack';
import { openBenchDatabase } from '../harness/database.ts';
import { cpuMicroseconds, processTreeCpuMicroseconds } from '../harness/process-cpu.ts';
import { HANDLER_DATABASE, type PipelineStack } from '../pipeline/pipeline-stack.ts';
import { byPart, type Costs, type CpuOfParts, type Part } from './costs.ts';

const PROCESS_OF: Partial<Record<Part, UnitName | 'handler'>> = {
  'front-door': 'front-door',
  region: 'region-eu',
  delivery: 'delivery',
  gateway: 'gateway',
  'feed-consumer': 'feed-consumer',
  decryptor: 'decryptor',
  handler: 'handler',
};
const DATABASE_OF: Partial<Record<Part, string>> = {
  'postgres of the front door': 'front_door',
  'postgres of a region': 'region_eu',
  'postgres of the feed consumer': 'feed_consumer',
  'postgres of the handler': HANDLER_DATABASE,
};

/** Microseconds of CPU that all parts have used so far. */
interface Spent {
  processes: ReadonlyMap<Part, number>;
  postgres: number;
  /** The CPU of the open connections, by their process. */
  backends: ReadonlyMap<number, { database: string; us: number }>;
}

export async function spentSoFar({ stack, processes }: PipelineStack, admin: Db): Promise<Spent> {
  const connected = sql`select datname, pid from pg_stat_activity where datname is not null`;
  const open = await many<{ datname: string; pid: number }>(admin, connected);
  const ofProcesses = Object.entries(PROCESS_OF).map(([part, name]) => [part as Part, processes.get(name)!.cpuMicroseconds] as const);
  return {
    processes: new Map([...ofProcesses, ['nats', cpuMicroseconds(stack.nats.pid)]]),
    postgres: processTreeCpuMicroseconds(stack.postgres.pid),
    backends: new Map(open.map(({ datname, pid }) => [pid, { database: datname, us: cpuMicroseconds(pid) }])),
  };
}

/** Returns the CPU that each part has used. That of the server's own processes is divided among the databases in proportion. */
export function spentBetween(before: Spent, after: Spent): CpuOfParts {
  const known = new Map<string, number>();
  for (const [pid, { database, us }] of after.backends)
    known.set(database, (known.get(database) ?? 0) + us - (before.backends.get(pid)?.us ?? 0));
  const all = [...known.values()].reduce((sum, us) => sum + us, 0);
  const share = (after.postgres - before.postgres) / Math.max(1, all);
  return byPart((part) => {
    const database = DATABASE_OF[part];
    if (database === undefined) return after.processes.get(part)! - before.processes.get(part)!;
    return (known.get(database) ?? 0) * share;
  });
}

export const memoryOf = ({ processes, stack }: PipelineStack): Partial<Record<Part, number>> => ({
  ...Object.fromEntries(Object.entries(PROCESS_OF).map(([part, name]) => [part, processes.get(name)!.residentMegabytes])),
  nats: Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${stack.nats.pid}/status`, 'utf8'))![1]) / 1024,
});

type Bytes = Costs['event_bytes'];

/** Reads the sizes on disk: the write-ahead log of all databases together, the events that the feed consumer keeps, and the stream. */
export class Sizes {
  constructor(
    private readonly pipeline: PipelineStack,
    private readonly admin: Db,
  ) {}

  async now(): Promise<Bytes> {
    const { stack } = this.pipeline;
    const feedConsumer = await openBenchDatabase(stack.settings.databases.feed_consumer.owner);
    const bus = await stack.bus('suite-operator');
    try {
      const wal = await one<{ bytes: number }>(this.admin, sql`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as bytes`);
      const published = await one<{ bytes: number }>(feedConsumer, sql`select pg_total_relation_size('event')::float8 as bytes`);
      const { state } = await (await bus.manager()).streams.info(FEED.stream!);
      return { write_ahead_log: wal!.bytes, published: published!.bytes, stream: state.bytes };
    } finally {
      await bus.close();
      await feedConsumer.destroy();
    }
  }
}

export const bytesPerEvent = (before: Bytes, after: Bytes, events: number): Bytes => ({
  write_ahead_log: Math.round((after.write_ahead_log - before.write_ahead_log) / events),
  published: Math.round((after.published - before.published) / events),
  stream: Math.round((after.stream - before.stream) / events),
});
