import type { Sealed } from '@codase/contracts';
import { emit } from '@codase/platform';
import { createDatabase } from '@codase/servers';
import { DEMO, type UnitName } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { BenchStack } from '../harness/bench-stack.ts';
import { openBenchDatabase } from '../harness/database.ts';
import { MessageEvents } from '../harness/message-events.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import { Effects } from './effects.ts';

const AT_ONCE = 500;
export const HANDLER_DATABASE = 'shop';

interface PipelineOptions {
  port: number;
  units: readonly UnitName[];
  platformApart?: boolean;
}

/** Both planes on disks that are written, with a company's service that opens the value of each event and stores a row. */
export class PipelineStack {
  private constructor(
    readonly stack: BenchStack,
    readonly processes: ReadonlyMap<UnitName | 'handler', ServerProcess>,
    readonly messages: MessageEvents,
    private readonly region: DataSource,
    readonly effects: Effects,
  ) {}

  static async open({ port, units, platformApart = false }: PipelineOptions): Promise<PipelineStack> {
    const stack = await BenchStack.open({
      durable: true,
      port,
      consumer: { services: [DEMO.service], groups: ['customers'] },
      platformApart,
    });
    const shop = await createDatabase(stack.postgres.url, { name: HANDLER_DATABASE, ownerPassword: 'bench', appPassword: 'bench' });
    const effects = await Effects.open(shop.owner);
    const processes = new Map<UnitName | 'handler', ServerProcess>();
    for (const unit of units) processes.set(unit, await stack.start(unit));
    const handler = new URL('handler-process.js', import.meta.url);
    processes.set('handler', await stack.startConsumer(handler, { DATABASE_URL: shop.owner }));
    const region = await openBenchDatabase(stack.settings.databases.region_eu.app, 2);
    return new PipelineStack(stack, processes, await MessageEvents.of(stack.settings.secrets), region, effects);
  }

  get sealed(): readonly Sealed[] {
    return this.messages.sealed;
  }

  /** Commits messages of many persons at the platform by the platform's own code. All become visible at once, at the commit. */
  async emit(events: number, beforeCommit?: () => void): Promise<void> {
    await this.region.transaction(async (tx) => {
      for (let left = events; left > 0; left -= AT_ONCE)
        await emit(
          tx,
          Array.from({ length: Math.min(left, AT_ONCE) }, () => this.messages.next(DEMO.keys.shop)),
        );
      beforeCommit?.();
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.region.destroy(), this.effects.close()]);
    await this.stack.close();
  }
}
