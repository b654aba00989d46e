import { connect } from '@cds/client';
import { silentLog } from '@cds/runtime/telemetry';

/** A company's own service, which answers the company's step of a flow. */
const { NATS_URL, NATS_USER, NATS_PASSWORD, FLOW } = process.env as Record<string, string>;
const cds = await connect({ url: NATS_URL!, user: NATS_USER!, password: NATS_PASSWORD!, service: 'shop', log: silentLog });

cds.flows.onTurn(FLOW!, { check: ({ answers }) => ({ price: String(Object.keys(answers).length) }) }, { atOnce: 8 });
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
