import { createPrivateKey } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OPEN_VALUES, type Sealed } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { readPrivateKeyPem } from '@codase/crypto/open';
import type { Bus } from '@codase/runtime/bus';
import { one, sql } from '@codase/runtime/db';
import { DEMO, privateKeyOf, type Secrets } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { BenchStack } from '../harness/bench-stack.ts';
import { openBenchDatabase } from '../harness/database.ts';
import { processTreeCpuMicroseconds } from '../harness/process-cpu.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import { PlayedFeeds } from './played-feeds.ts';

/** The intervals of a real deployment. */
export const IDLE_SECONDS = 5;
const PASSPHRASE = 'only-for-benches';
/** The longest delay that is measured: a flood that delays others for so long has failed the bar anyway. */
const TIMEOUT_MS = 5000;
/** The time after which the pauses between drains of an idle feed have reached their longest. */
const SETTLED_MS = 15_000;

export const serviceNamed = (nth: number): string => `s${nth}`;

/** One feed consumer and one decryptor for this many services, with a simulated gateway. */
export class ScaleStack {
  private running: ServerProcess[] = [];

  private constructor(
    private readonly stack: BenchStack,
    readonly feeds: PlayedFeeds,
    private readonly buses: Record<'gateway' | 'many' | 'few', Bus>,
    private readonly spool: DataSource,
    private readonly key: { pem: string; sealed: Sealed },
  ) {}

  static async open(port: number, most: number): Promise<ScaleStack> {
    const services = Array.from({ length: most }, (_, nth) => serviceNamed(nth));
    const stack = await BenchStack.open({ durable: true, port, consumer: { services: services.slice(0, 2), groups: ['customers'] } });
    const { databases, secrets } = stack.settings;
    const buses = { gateway: await stack.bus('gateway'), many: await stack.bus(DEMO.consumer), few: await stack.bus('flows') };
    const key = await keyOf(secrets);
    const spool = await openBenchDatabase(databases.feed_consumer.app, 2);
    return new ScaleStack(stack, await PlayedFeeds.open(buses.gateway, key.sealed), buses, spool, key);
  }

  /** Restarts both processes for this many services, and waits until only idle rounds go on. Returns how long their starts took. */
  async run(services: number): Promise<Record<'feed_start_s' | 'decryptor_start_s', number>> {
    await this.stop();
    const { settings } = this.stack;
    const names = Array.from({ length: services }, (_, nth) => serviceNamed(nth));
    settings.services = Object.fromEntries(names.map((name) => [name, { client_id: name, client_secret: name }]));
    settings.channels = Object.fromEntries(names.map((name) => [name, { mode: 'pull' }]));
    const files = (ending: string, text: string) => Object.fromEntries(names.map((name) => [`${name}.${ending}`, text]));
    const keys = {
      KEYS_DIR: settings.secrets.mount(`bench/${services}/keys`, files('pem', this.key.pem)),
      PASSPHRASES_DIR: settings.secrets.mount(`bench/${services}/passphrases`, files('passphrase', PASSPHRASE)),
    };
    const feed_start_s = await this.start('feed-consumer', { IDLE_SECONDS: String(IDLE_SECONDS) });
    const decryptor_start_s = await this.start('decryptor', { ...keys, KEYS_POLL_SECONDS: '5' });
    await pause(SETTLED_MS);
    return { feed_start_s, decryptor_start_s };
  }

  private async start(unit: 'feed-consumer' | 'decryptor', env: Readonly<Record<string, string>>): Promise<number> {
    const start = performance.now();
    this.running.push(await this.stack.start(unit, {}, env));
    return (performance.now() - start) / 1000;
  }

  /** Measures the share of a core that each process and its Postgres use, and the memory of the processes. */
  async idle(seconds: number): Promise<Record<'feed_cores' | 'decryptor_cores' | 'postgres_cores' | 'feed_mb' | 'decryptor_mb', number>> {
    const cpu = () => [...this.running.map(({ cpuMicroseconds }) => cpuMicroseconds), processTreeCpuMicroseconds(this.stack.postgres.pid)];
    const [before, start] = [cpu(), performance.now()];
    await pause(seconds * 1000);
    const [feed, decryptor, postgres] = cpu().map((us, nth) => (us - before[nth]!) / ((performance.now() - start) * 1000));
    const [feed_mb, decryptor_mb] = this.running.map(({ residentMegabytes }) => residentMegabytes);
    return { feed_cores: feed!, decryptor_cores: decryptor!, postgres_cores: postgres!, feed_mb: feed_mb!, decryptor_mb: decryptor_mb! };
  }

  /** Returns how long an event takes from the feed to the stream, in milliseconds, but waits no longer than the timeout. */
  async publishes(service: string): Promise<number> {
    const [start, id] = [performance.now(), this.feeds.happens(service)];
    while (performance.now() - start < TIMEOUT_MS) {
      if (await one(this.spool, sql`select 1 as there from published where service = ${service} and event_id = ${id}`)) break;
      await pause(5);
    }
    return performance.now() - start;
  }

  async opens(service: string): Promise<number> {
    const start = performance.now();
    await this.buses.few.request(OPEN_VALUES, { service }, { values: [{ value: this.key.sealed }] }, { timeout: 60_000 });
    return performance.now() - start;
  }

  /** Has as many values opened as the decryptor can, until the signal is aborted. */
  async floods(service: string, over: AbortSignal): Promise<void> {
    const values = Array.from({ length: 100 }, () => ({ value: this.key.sealed }));
    const ask = async () => {
      while (!over.aborted)
        await this.buses.many.request(OPEN_VALUES, { service }, { values }, { timeout: 60_000 }).catch(() => pause(100));
    };
    await Promise.all(Array.from({ length: 8 }, ask));
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...Object.values(this.buses).map((bus) => bus.close()), this.spool.destroy()]);
    await this.stack.close();
  }

  private async stop(): Promise<void> {
    for (const process of this.running.splice(0)) await this.stack.stop(process);
  }
}

/** Returns one key for all services, in a file with few hashing iterations, and a value sealed to it. */
async function keyOf(secrets: Secrets): Promise<{ pem: string; sealed: Sealed }> {
  const { pem, passphrase } = privateKeyOf(secrets, DEMO.keys.shop);
  const der = Buffer.from(await readPrivateKeyPem(pem, passphrase));
  const quick = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const key = await importValuePublicKey(secrets.known(`keys/${DEMO.keys.shop}.public`));
  return {
    pem: String(quick.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE })),
    sealed: (await sealValue(key, '{"street":"Storgatan 1","city":"Malmö"}')) as Sealed,
  };
}
