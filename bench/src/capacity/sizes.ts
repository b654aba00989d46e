import { FEED } from '@codase/contracts';
import { one, sql } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { openBenchDatabase } from '../harness/database.ts';
import type { PipelineStack } from '../pipeline/pipeline-stack.ts';
import type { Costs } from './costs.ts';

type Bytes = Costs['event_bytes'];

/** Reads the sizes on disk: the write-ahead log of all databases together, the events that the feed consumer keeps, and the stream. */
export class Sizes {
  constructor(
    private readonly pipeline: PipelineStack,
    private readonly admin: DataSource,
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
