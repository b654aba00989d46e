import { connect, postgresInbox } from '@cds/client';
import { silentLog } from '@cds/runtime/telemetry';
import pg from 'pg';
import { SLUG } from '../request-field.ts';

/** A company's own service, made to be killed: it opens each value and writes it down where the event is noted as handled. */
const { SOAK_BUS, SOAK_DATABASE } = process.env as Record<string, string>;
const address = JSON.parse(SOAK_BUS!) as { url: string; user: string; password: string };
const cds = await connect({ ...address, service: 'shop', log: silentLog });
const pool = new pg.Pool({ connectionString: SOAK_DATABASE!, max: 16, connectionTimeoutMillis: 5000 });

await cds.handle(
  'customers',
  postgresInbox(pool),
  {
    field_updated: async (event, { tx, open }) => {
      if (event.slug !== SLUG) return;
      const { value } = await open({ value: event.value!, field_type: 'email' });
      await tx.query('insert into effect (person, at, value) values ($1, $2, $3)', [event.person_user_id, event.at, value]);
    },
  },
  { ackWaitMs: 3000 },
);

process.send?.('ready');
process.on('disconnect', () => process.exit(0));
