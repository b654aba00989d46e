import { FEED } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import type { PipelineStack } from '../pipeline/pipeline-stack.ts';

interface Bytes {
  write_ahead_log: number;
  published: number;
  stream: number;
}

/** Reads the sizes on disk: the write-ahead log of all databases together, the events that the feed consumer keeps, and the stream. */
export class Sizes {
  constructor(
    private readonly pipeline: PipelineStack,
    private readonly admin: DataSource,
  ) {}

  async now(): Promise<Bytes> {
    const { settings } = this.pipeline.stack;
    const feedConsumer = await openDatabase({ url: settings.databases.feed_consumer.owner, name: 'bench', pool: 1 });
    const bus = await Bus.connect({
      url: settings.nats.url,
      ...settings.nats.credentials('suite-operator'),
      name: 'bench',
      log: silentLog,
    });
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
