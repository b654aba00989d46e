import { hash } from 'node:crypto';
import { connect, postgresInbox } from '@codase/client';
import { silentLog } from '@codase/runtime/telemetry';
import pg from 'pg';
import { priceOf } from '../flows/order-flow.ts';
import { answerTo, SLUG } from '../request-field.ts';

const { SOAK_BUS, SOAK_GATEWAY, SOAK_DATABASE, SOAK_CONTRACT, SOAK_FLOW } = process.env as Record<string, string>;

const NOTE = 'insert into handled (kind, person, name) values ($1, $2, $3)';

/** The hold is short, because no other handler can take the turn of a killed one before it ends. */
const TURNS = { atOnce: 2, holdSeconds: 10 };
type OrderFlow = { price_check: { answers: { quantity?: number }; gives: { price: number } } };

/** A company's own service that is going to be killed. It stores what it handled in the transaction that marks the event so. */
async function main(): Promise<void> {
  const address = JSON.parse(SOAK_BUS!) as { url: string; user: string; password: string };
  const gateway = JSON.parse(SOAK_GATEWAY!) as { url: string; token: string };
  const contract = Buffer.from(SOAK_CONTRACT!, 'base64');
  const codase = await connect({ ...address, service: 'shop', gateway, log: silentLog });
  const pool = new pg.Pool({ connectionString: SOAK_DATABASE!, max: 16, connectionTimeoutMillis: 5000 });
  await codase.handle(
    'customers',
    postgresInbox(pool),
    {
      field_updated: {
        opens: ({ slug, value }) => (slug === SLUG && value ? [{ value, field_type: 'email' }] : []),
        handle: async (event, { tx, open }) => {
          if (event.slug !== SLUG) return;
          const { value } = await open({ value: event.value!, field_type: 'email' });
          await tx.query('insert into effect (person, at, value) values ($1, $2, $3)', [event.person_user_id, event.at, value]);
        },
      },
      message_received: {
        opens: ['body'],
        handle: async (event, { tx, open }) => {
          const { plaintext: name } = await open({ value: event.body });
          await tx.query(NOTE, ['message', event.person_user_id, name]);
          await codase.messages.send(event, answerTo(name), { key: event.message_id });
          const file = { bytes: contract, name: 'contract.pdf', type: 'application/pdf' };
          await codase.documents.send(event, { name, requires_signature: true, file }, { key: event.message_id });
          await codase.messages.acknowledge(event);
        },
      },
      document_status_changed: async (event, { tx }) => {
        if (event.action !== 'signed') return;
        const { document, file } = await codase.documents.download(event.document_id);
        const isWhole = hash('sha256', file!.bytes.subarray(0, contract.length), 'hex') === document.plain_sha256;
        await tx.query(NOTE, [isWhole ? 'contract' : 'another contract', event.person_user_id, document.name]);
      },
      flow_run_turn: async ({ person_user_id, flow_run_id, awaiting_party }, { tx }) =>
        void (await tx.query(NOTE, [`turn of ${awaiting_party}`, person_user_id, flow_run_id])),
      flow_completed: async (event, { tx }) => void (await tx.query(NOTE, ['run', event.person_user_id, event.flow_run_id])),
    },
    { ackWaitMs: 3000 },
  );
  if (SOAK_FLOW !== undefined) {
    codase.flows.onTurn<OrderFlow>(SOAK_FLOW, { price_check: ({ answers }) => ({ price: priceOf(answers.quantity!) }) }, TURNS);
  }
  process.send?.('ready');
  process.on('disconnect', () => process.exit(0));
}

await main();
