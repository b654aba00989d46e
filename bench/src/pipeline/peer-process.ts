import { createDecipheriv, createHmac, createPrivateKey, timingSafeEqual, webcrypto } from 'node:crypto';
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { loadPeer, type GraphileWorker } from '../harness/peers.ts';

/** What a company would write instead: one program for webhooks, jobs, values and rows, at least once and in no order. */
const { PORT, DATABASE_URL, HMAC_SECRET, PRIVATE_KEY } = process.env as Record<string, string>;

interface MessageReceived {
  at: string;
  message_id: string;
  body: string;
}

/** Jobs are fetched and completed in groups, which saves a fifth of Postgres's CPU. More concurrency or larger groups change nothing. */
const WORKER = { concurrentJobs: 16, localQueue: { size: 100 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
/** How often the key is imported. An imported key does one operation at a time, so several imports keep every core busy. */
const IMPORTS = 4;
const GCM_TAG_BYTES = 16;
/** The statement has a name, so that each connection parses and plans it once. */
const KEEP = {
  name: 'keep',
  text: 'insert into effect (message_id, chars, happened_at, handled_at) values ($1, $2, $3, $4) on conflict (message_id) do nothing',
};

const pkcs8 = createPrivateKey(PRIVATE_KEY!).export({ format: 'der', type: 'pkcs8' });
const oaep = { name: 'RSA-OAEP', hash: 'SHA-256' };
const keys = await Promise.all(Array.from({ length: IMPORTS }, () => webcrypto.subtle.importKey('pkcs8', pkcs8, oaep, false, ['decrypt'])));
let opened = 0;

async function open(sealed: string): Promise<string> {
  const { k, iv, d } = JSON.parse(sealed) as Record<'k' | 'iv' | 'd', string>;
  const key = await webcrypto.subtle.decrypt('RSA-OAEP', keys[opened++ % IMPORTS]!, Buffer.from(k, 'base64'));
  const data = Buffer.from(d, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), Buffer.from(iv, 'base64'));
  decipher.setAuthTag(data.subarray(-GCM_TAG_BYTES));
  return decipher.update(data.subarray(0, -GCM_TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

function isSigned(body: Buffer, signature: unknown): boolean {
  const [given, own] = [Buffer.from(String(signature), 'hex'), createHmac('sha256', HMAC_SECRET!).update(body).digest()];
  return given.length === own.length && timingSafeEqual(given, own);
}

const library = await loadPeer<GraphileWorker>('graphile-worker');
const logger = new library.Logger(() => () => undefined);
const pool = new Pool({ connectionString: DATABASE_URL!, max: 16 });
pool.on('error', console.error).on('connect', (client) => client.on('error', console.error));
const utils = await library.makeWorkerUtils({ pgPool: pool, logger });
await utils.migrate();
await library.run<MessageReceived>({
  preset: { worker: WORKER },
  pgPool: pool,
  logger,
  noHandleSignals: true,
  taskList: {
    message_received: async ({ at, body, message_id }) => {
      const plaintext = await open(body);
      await pool.query({ ...KEEP, values: [message_id, plaintext.length, at, new Date()] });
    },
  },
});

const server = fastify();
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
server.post('/hooks', async ({ headers, body }, reply) => {
  if (!isSigned(body as Buffer, headers['x-platform-signature'])) return reply.code(401).send();
  await utils.addJob('message_received', JSON.parse(String(body)));
  return reply.code(200).send();
});
await server.listen({ port: Number(PORT), host: '127.0.0.1' });
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
