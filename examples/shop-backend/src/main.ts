// A company's own service, which keeps a table of its customers up to date by the events of the Company Data Service.
import { connect, postgresInbox } from '@codase/client';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { contractHandlers, sendContract } from './contracts.ts';
import { customerHandlers } from './customers.ts';
import { loginRoutes } from './login-routes.ts';
import { Logins } from './logins.ts';
import { messageHandlers } from './messages.ts';
import { orderHandlers, type OrderFlow } from './orders.ts';
import { probeServer } from './probe-server.ts';
import { runDocumentHandlers } from './run-documents.ts';
import { setting } from './settings.ts';
import { endTelemetry, scraped } from './telemetry.ts';

// Sixteen handlers may run side by side, each in its own transaction.
const pool = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 16 });
await pool.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'));

const codase = await connect({
  url: setting('NATS_URL'),
  user: setting('NATS_USER'),
  password: setting('NATS_PASSWORD', ''),
  service: setting('SERVICE'),
  // For requests that are too long for the bus.
  ...(setting('GATEWAY_URL', '') && { gateway: { url: setting('GATEWAY_URL'), token: setting('GATEWAY_TOKEN') } }),
});
const handlers = {
  ...customerHandlers(codase, console.log, (tx, customer) => sendContract(codase, tx, customer)),
  ...messageHandlers(codase, console.log),
  ...contractHandlers(codase, console.log),
  ...runDocumentHandlers(codase, console.log),
};
await codase.handle('customers', postgresInbox(pool), handlers);

// Answers the shop's turns in the runs of its flows. The client asks for turns, so nobody has to call this service.
for (const flow of ['Order', 'Order contract']) codase.flows.onTurn<OrderFlow>(flow, orderHandlers(console.log));

const routes = loginRoutes(new Logins(codase));

// The process is alive while this server answers, and ready while events reach it. Logins use the same server, since this is a demo.
const host = setting('OPS_HOST', '127.0.0.1');
const probes = probeServer({
  routes,
  metrics: (request, response) => scraped.getMetricsRequestHandler(request, response),
  health: () => codase.health(),
  host,
});
probes.listen(Number(setting('OPS_PORT', '0')), host);

/** Finishes the events and turns in hand, and ends. Events that are not acknowledged by then come again after the next start. */
async function leave(): Promise<void> {
  probes.close();
  await codase.close();
  await pool.end();
  await endTelemetry();
  process.exit(0);
}
let leaving: Promise<void> | undefined;
const leaveOnce = () => void (leaving ??= leave());
for (const sign of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(sign, leaveOnce); // disconnect: npm start is gone
