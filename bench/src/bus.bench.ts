import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { subject } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { silentLog } from '@cds/runtime/telemetry';
import { findNatsServer, startNats } from '@cds/servers';
import { z } from 'zod';
import { bench } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const GREET = subject('bench.greet.{language}', { message: z.strictObject({ name: z.string() }), reply: z.object({ text: z.string() }) });
const CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache');
const IN_FLIGHT = 64;

async function setup() {
  const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), {
    durable: false,
    config: { accounts: { bench: { users: [{ user: 'bench', password: 'bench' }] } } },
  });
  const connect = () => Bus.connect({ url: nats.url, user: 'bench', password: 'bench', name: 'bench', log: silentLog });
  const [asker, answerer] = [await connect(), await connect()];
  await answerer.answer(GREET, {}, ({ name }) => ({ text: `hello ${name}` }));
  answerer.connection.subscribe('bench.bare', {
    callback: (_, message) => void message.respond(JSON.stringify({ text: `hello ${message.json<{ name: string }>().name}` })),
  });
  await answerer.connection.flush();
  return { nats, asker, answerer };
}

/** What typed subjects, validation, spans and refusals cost on top of the bare client. */
export default bench({
  name: 'bus',
  what: 'a typed request answered over the bus, against the bare NATS client doing the same JSON',
  unit: 'requests/s',
  setup,
  teardown: async ({ nats, asker, answerer }) => {
    await Promise.all([asker.close(), answerer.close()]);
    await nats.stop();
  },
  contenders: {
    floor: repeatAsync(async ({ asker }) => void (await asker.connection.request('bench.bare', JSON.stringify({ name: 'Ana' }))).json(), {
      atOnce: IN_FLIGHT,
    }),
    ours: repeatAsync(async ({ asker }) => void (await asker.request(GREET, { language: 'sv' }, { name: 'Ana' })), { atOnce: IN_FLIGHT }),
  },
  bar: 0.5,
});
