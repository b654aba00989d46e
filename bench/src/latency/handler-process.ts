import { connect, postgresInbox } from '@codase/client';
import { silentLog } from '@codase/runtime/telemetry';
import { startTelemetry } from '@codase/runtime/telemetry/sdk';
import { Pool } from 'pg';
import { sharedNow } from '../harness/shared-now.ts';

/** A company's own service, which opens the value of each event and stores the time, in the transaction of the inbox. */
const { NATS_URL, NATS_USER, NATS_PASSWORD, DATABASE_URL, SERVICE } = process.env as Record<string, string>;
/** The statement has a name, so that each connection parses and plans it once. */
const KEEP = { name: 'keep', text: 'insert into effect (message_id, chars, handled_ms) values ($1, $2, $3)' };
startTelemetry('handler');
const codase = await connect({ url: NATS_URL!, user: NATS_USER!, password: NATS_PASSWORD!, service: SERVICE!, log: silentLog });

await codase.handle(SERVICE!, postgresInbox(new Pool({ connectionString: DATABASE_URL!, max: 16 })), {
  message_received: {
    opens: ['body'],
    handle: async ({ body, message_id }, { tx, open }) => {
      const { plaintext } = await open({ value: body });
      await tx.query({ ...KEEP, values: [message_id, plaintext.length, sharedNow()] });
    },
  },
});
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
