import { connect, postgresInbox, type Handlers } from '@cds/client';
import { silentLog } from '@cds/runtime/telemetry';
import { Pool, type PoolClient } from 'pg';

/** A company's own service: it opens what each event carries and keeps a row of it, in the transaction of the inbox, which others share. */
const { NATS_URL, NATS_USER, NATS_PASSWORD, DATABASE_URL } = process.env as Record<string, string>;
const cds = await connect({ url: NATS_URL!, user: NATS_USER!, password: NATS_PASSWORD!, service: 'shop', log: silentLog });

/** Named, so that each connection has it parsed and planned once. */
const KEEP = { name: 'keep', text: 'insert into effect (message_id, chars, happened_at, handled_at) values ($1, $2, $3, $4)' };
const inbox = postgresInbox(new Pool({ connectionString: DATABASE_URL!, max: 16 }));
const handlers: Handlers<PoolClient> = {
  message_received: async ({ at, body, message_id }, { tx, open }) => {
    const { plaintext } = await open({ value: body });
    await tx.query({ ...KEEP, values: [message_id, plaintext.length, at, new Date()] });
  },
};
await cds.handle('customers', inbox, handlers);
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
