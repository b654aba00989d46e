import { connect, postgresInbox, type Handlers } from '@codase/client';
import { silentLog } from '@codase/runtime/telemetry';
import { Pool, type PoolClient } from 'pg';

/** A company's own service, which opens each value and stores a row, in the inbox's transaction, which several events share. */
const { NATS_URL, NATS_USER, NATS_PASSWORD, DATABASE_URL } = process.env as Record<string, string>;
const codase = await connect({ url: NATS_URL!, user: NATS_USER!, password: NATS_PASSWORD!, service: 'shop', log: silentLog });

/** The statement has a name, so that each connection parses and plans it once. */
const KEEP = {
  name: 'keep',
  text: `insert into effect (message_id, chars, happened_at, handled_at)
    select id, chars, at, $4 from unnest($1::text[], $2::int[], $3::timestamptz[]) as kept (id, chars, at)`,
};
const inbox = postgresInbox(new Pool({ connectionString: DATABASE_URL!, max: 16 }));
const handlers: Handlers<PoolClient> = {
  message_received: {
    opens: ['body'],
    together: async (taken, tx) => {
      const chars = await Promise.all(taken.map(async ({ event, open }) => (await open({ value: event.body })).plaintext.length));
      const [ids, times] = [taken.map(({ event }) => event.message_id), taken.map(({ event }) => event.at)];
      await tx.query({ ...KEEP, values: [ids, chars, times, new Date()] });
    },
  },
};
await codase.handle('customers', inbox, handlers);
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
