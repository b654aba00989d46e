import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { webhooks } from '@codase/contracts';
import { emit } from '@codase/platform';
import { many, one, sql } from '@codase/runtime/db';
import { inSpan, SpanKind } from '@codase/runtime/telemetry';
import { createDatabase } from '@codase/servers';
import { TraceReceiver } from '@codase/stack/trace-receiver';
import { DEMO, demoActors, privateKeyOf, type Secrets } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { BenchStack, PLENTY } from '../harness/bench-stack.ts';
import { onDatabase, openBenchDatabase, statementsOn } from '../harness/database.ts';
import { MessageEvents } from '../harness/message-events.ts';
import { sharedNow } from '../harness/shared-now.ts';
import { marksOf } from './marks.ts';
import type { Seen } from './stages.ts';

/** The channels: the events of one service are drained, those of the other are delivered by webhook. */
export type ChannelName = 'pull' | 'webhook';
const HOOKED = { service: 'hooked', service_id: 'ser_hooked' };
const SERVICES = { pull: DEMO.service, webhook: HOOKED.service };
const SERVICE_IDS = { pull: DEMO.keys.shop, webhook: HOOKED.service_id };
const UNITS = ['front-door', 'region-eu', 'delivery', 'gateway'] as const;
const SPANS = 200_000;
/** The credentials of the webhook. A trace is continued only for a sender that authenticates. */
const AUTH = { auth_type: 'bearer', auth_token: 'only-for-benches' } as const;

/** A committed event, with the time by the clock that all processes share and by the clock of the spans. */
export interface Committed {
  message_id: string;
  trace_id: string;
  committed_ms: number;
  committed_at_ms: number;
}

/** Both planes on disks that are written, with a service of a company for each channel, whose handler opens the values. */
export class LatencyStack {
  private constructor(
    private readonly stack: BenchStack,
    private readonly messages: MessageEvents,
    private readonly region: DataSource,
    private readonly effects: DataSource,
    private readonly traces: TraceReceiver,
  ) {}

  static async open(port: number): Promise<LatencyStack> {
    const traces = await TraceReceiver.open({ most: SPANS });
    const stack = await BenchStack.open({
      durable: true,
      port,
      consumer: { services: Object.values(SERVICES), groups: Object.values(SERVICES) },
      // The drain keeps the platform's limit of ten a second.
      limits: { token: PLENTY, data: PLENTY },
    });
    stack.settings.traces = traces.url;
    const shop = await createDatabase(stack.postgres.url, { name: 'shop', ownerPassword: 'bench', appPassword: 'bench' });
    const effects = await openBenchDatabase(shop.owner, 2);
    await statementsOn(effects)`create table effect (message_id text primary key, chars int not null, handled_ms float8 not null)`;
    for (const unit of UNITS) await stack.start(unit);
    stack.settings.channels = {
      [DEMO.service]: { mode: 'pull' },
      [HOOKED.service]: { mode: 'webhook', webhook_id: await addWebhook(stack), auth: AUTH },
    };
    await stack.start('feed-consumer');
    await stack.start('decryptor', {}, keysOf(stack.settings.secrets));
    const exporter = { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, OTEL_BSP_SCHEDULE_DELAY: '300' };
    for (const SERVICE of Object.values(SERVICES))
      await stack.startConsumer(new URL('handler-process.js', import.meta.url), { DATABASE_URL: shop.owner, SERVICE, ...exporter });
    const region = await openBenchDatabase(stack.settings.databases.region_eu.app, 4);
    return new LatencyStack(stack, await MessageEvents.of(stack.settings.secrets), region, effects, traces);
  }

  /** Commits one event at the platform by the platform's own code, in its own transaction and trace. */
  emit(channel: ChannelName): Promise<Committed> {
    const message_id = `msg_${randomUUID()}`;
    return inSpan('commit', { kind: SpanKind.INTERNAL }, async (span) => {
      await this.region.transaction((tx) => emit(tx, [this.messages.next(SERVICE_IDS[channel], message_id)]));
      return { message_id, trace_id: span.spanContext().traceId, committed_ms: sharedNow(), committed_at_ms: Date.now() };
    });
  }

  async handled(events: readonly Committed[]): Promise<Map<string, number>> {
    const ids = events.map(({ message_id }) => message_id);
    for (let waited = 0; waited < 120_000; waited += 100) {
      const { n } = (await one<{ n: number }>(this.effects, sql`select count(*)::int as n from effect where message_id = any(${ids})`))!;
      if (n === ids.length) break;
      await pause(100);
    }
    const rows = await many<{ message_id: string; handled_ms: number }>(
      this.effects,
      sql`select message_id, handled_ms from effect where message_id = any(${ids})`,
    );
    if (rows.length < ids.length) throw new Error(`Of ${ids.length} events ${rows.length} were handled after two minutes.`);
    return new Map(rows.map(({ message_id, handled_ms }) => [message_id, handled_ms]));
  }

  async seen(): Promise<Seen[]> {
    return [...this.traces.all, ...(await marksOf(this.stack, this.traces.all, SERVICES.pull))];
  }

  async close(): Promise<void> {
    await Promise.all([this.region.destroy(), this.effects.destroy()]);
    await this.stack.close();
    await this.traces.close();
  }
}

/** Adds a second service of the demo's company, whose webhook delivers to the feed consumer. Returns the webhook's id. */
async function addWebhook({ settings }: BenchStack): Promise<string> {
  await onDatabase(
    settings.databases.region_eu.owner,
    (run) => run`
      insert into service (service_id, company_user_id, name, share_code, public_key, created_at)
      values (${HOOKED.service_id}, ${DEMO.keys.account}, 'Hooked', 'HOOKED', '', now())`,
  );
  const acme = (await demoActors(settings.ports, settings.secrets)).company('ACME');
  const url = `http://127.0.0.1:${settings.ports.serving['feed-consumer']}/hooks/${HOOKED.service}`;
  const body = { url, ...AUTH };
  return (await acme.asks(webhooks.createWebhook, { params: { id: HOOKED.service_id }, body })).id;
}

/** Returns the key settings of the decryptor. Both services share one key. */
function keysOf(secrets: Secrets): Record<string, string> {
  const { pem, passphrase } = privateKeyOf(secrets, DEMO.keys.shop);
  const filesOf = (ending: string, text: string) =>
    Object.fromEntries(Object.values(SERVICES).map((service) => [`${service}.${ending}`, text]));
  return {
    KEYS_DIR: secrets.mount('bench/keys', filesOf('pem', pem)),
    PASSPHRASES_DIR: secrets.mount('bench/passphrases', filesOf('passphrase', passphrase)),
  };
}
