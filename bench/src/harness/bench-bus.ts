import { join } from 'node:path';
import { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { findNatsServer, startNats, type Nats, type NatsOptions } from '@codase/servers';
import { ROOT } from '@codase/stack';

/** The one user of a server that a bench starts for itself. */
export const BUS_USER = { user: 'bench', password: 'bench' };

export const startBenchNats = async (options: NatsOptions): Promise<Nats> =>
  startNats(await findNatsServer({ cacheDir: join(ROOT, '.cache') }), options);

/** Starts a server with one user, for streams if it is durable, and returns how to connect. */
export async function openBus({ durable }: { durable: boolean }): Promise<{ nats: Nats; connect(): Promise<Bus> }> {
  const nats = await startBenchNats({ durable, config: { accounts: { bench: { jetstream: durable, users: [BUS_USER] } } } });
  return { nats, connect: () => Bus.connect({ url: nats.url, ...BUS_USER, name: 'bench', log: silentLog }) };
}
