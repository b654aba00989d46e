import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sealed } from '@cds/contracts';
import { emit } from '@cds/platform';
import { many, one, openDatabase, sql } from '@cds/runtime/db';
import { createDatabase } from '@cds/servers';
import { clientSecret, DEMO, type UnitName } from '@cds/stack';
import type { DataSource } from 'typeorm';
import { BenchStack } from '../harness/bench-stack.ts';
import type { Cores } from '../harness/cores.ts';
import { MessageEvents } from '../harness/message-events.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const PLENTY = { burst: 1e9, per_second: 1e9 };
/** The database of the company's own service. */
export const HANDLER_DATABASE = 'shop';

export interface PipelineOptions {
  /** The first of the ports it takes. */
  port: number;
  units: readonly UnitName[];
  /** Where a process is kept, if not wherever it likes. */
  cores?: Partial<Record<UnitName, Cores>>;
}

/** Both planes on disks that are written, with a service of a company that opens what each event carries and keeps a row of it. */
export class PipelineStack {
  private constructor(
    readonly stack: BenchStack,
    readonly processes: ReadonlyMap<UnitName | 'handler', ServerProcess>,
    private readonly messages: MessageEvents,
    private readonly region: DataSource,
    readonly effects: DataSource,
  ) {}

  static async open({ port, units, cores = {} }: PipelineOptions): Promise<PipelineStack> {
    const stack = await BenchStack.open({
      durable: true,
      port,
      services: (secrets) => ({ [DEMO.service]: { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) } }),
      consumers: [{ user: DEMO.consumer, services: [DEMO.service], groups: ['customers'] }],
      limits: { token: PLENTY, data: PLENTY, changes: PLENTY },
    });
    const shop = await createDatabase(stack.postgres.url, { name: HANDLER_DATABASE, ownerPassword: 'bench', appPassword: 'bench' });
    const effects = await openDatabase({ url: shop.owner, name: 'bench', pool: 2 });
    await many(
      effects,
      sql`create table effect (message_id text primary key, chars int not null, happened_at timestamptz not null,
        handled_at timestamptz not null)`,
    );
    const processes = new Map<UnitName | 'handler', ServerProcess>();
    for (const unit of units) processes.set(unit, await stack.start(unit, { ...(cores[unit] && { cores: cores[unit] }) }));
    processes.set('handler', await startHandler(stack, shop.owner));
    const region = await openDatabase({ url: stack.settings.databases.region_eu.app, name: 'bench', pool: 2 });
    return new PipelineStack(stack, processes, await MessageEvents.of(stack.settings.secrets), region, effects);
  }

  get sealed(): readonly Sealed[] {
    return this.messages.sealed;
  }

  /** Messages of many persons, committed at the platform as its own code does it. */
  async emit(events: number): Promise<void> {
    await this.region.transaction((tx) =>
      emit(
        tx,
        Array.from({ length: events }, () => this.messages.next(DEMO.keys.shop)),
      ),
    );
  }

  /** How many events the company's service has handled. */
  async handled(): Promise<number> {
    return (await one<{ n: number }>(this.effects, sql`select count(*)::int as n from effect`))!.n;
  }

  async handledAtLeast(expected: number): Promise<void> {
    for (let waited = 0; (await this.handled()) < expected; waited += 50) {
      if (waited > 120_000) throw new Error(`Of ${expected} events ${await this.handled()} were handled after two minutes.`);
      await pause(50);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.region.destroy(), this.effects.destroy()]);
    await this.stack.close();
  }
}

function startHandler(stack: BenchStack, databaseUrl: string): Promise<ServerProcess> {
  const { nats } = stack.settings;
  const { user = '', password = '' } = nats.credentials(DEMO.consumer);
  return stack.startOther(fileURLToPath(new URL('handler-process.js', import.meta.url)), {
    NATS_URL: nats.url,
    NATS_USER: user,
    NATS_PASSWORD: password,
    DATABASE_URL: databaseUrl,
  });
}
