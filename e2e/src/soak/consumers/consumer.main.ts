import { Bus, DurableConsumer } from '@codase/runtime/bus';
import { execute, many, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { CONSUMER, SOAK_EVENT } from './events.ts';

const { SOAK_NATS, SOAK_DATABASE } = process.env as Record<string, string>;
const OPTIONS = { as: CONSUMER, ackWaitMs: 1000, backoffMs: Array.from({ length: 40 }, () => 250) };

/** A consumer that is going to be killed. It writes its effect and the inbox row in one transaction. */
async function main(): Promise<void> {
  const credentials = JSON.parse(SOAK_NATS!) as { url: string; user: string; password: string };
  const bus = await Bus.connect({ ...credentials, name: 'soak', log: silentLog });
  const db = await openDatabase({ url: SOAK_DATABASE!, name: 'soak', pool: 2 });
  const handle = ({ id, key, n }: { id: string; key: string; n: number }) =>
    db.transaction(async (tx) => {
      const [fresh] = await many(
        tx,
        sql`insert into inbox (consumer, message_id) values (${CONSUMER}, ${id}) on conflict do nothing returning 1`,
      );
      if (fresh) await execute(tx, sql`insert into effect (message_id, key, n) values (${id}, ${key}, ${n})`);
    });
  await DurableConsumer.start(bus, SOAK_EVENT, OPTIONS, handle, silentLog);
  process.send?.('ready');
  process.on('disconnect', () => process.exit(0));
}

await main();
