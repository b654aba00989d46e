import { connect } from '@codase/client';
import { silentLog } from '@codase/runtime/telemetry';

/** A company's own service, which answers the company's step of a flow. */
const { NATS_URL, NATS_USER, NATS_PASSWORD, FLOW } = process.env as Record<string, string>;
const codase = await connect({ url: NATS_URL!, user: NATS_USER!, password: NATS_PASSWORD!, service: 'shop', log: silentLog });

codase.flows.onTurn(FLOW!, { check: ({ answers }) => ({ price: String(Object.keys(answers).length) }) }, { atOnce: 8 });
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
