import { DocumentsStack } from './documents/documents-stack.ts';
import { bench } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';
import { ServerProcess } from './harness/server-process.ts';

const [PORT, ECHO_PORT] = [14_600, 14_699];
const MB = 1024 * 1024;
/** The size of a sealed file of 25 MB: the base64 of its envelope is encrypted. */
const SEALED = Math.ceil((25 * MB * 4) / 3) + 100;

async function setup() {
  const stack = await DocumentsStack.open(PORT);
  const entry = new URL('documents/echo-process.js', import.meta.url);
  const echo = await ServerProcess.start(entry, { PORT: String(ECHO_PORT) });
  return { stack, echo };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Sends a document of 25 MB to the platform and back to its recipient, on a database that writes to the disk, by one client. */
export default bench({
  name: 'files',
  what: 'a document of 25 MB up and down, 45 MB each way, against a bare Fastify echo of the same bytes',
  unit: 'documents/s',
  seconds: 120,
  rounds: 3,
  setup,
  teardown: async ({ stack, echo }) => {
    await echo.stop();
    await stack.close();
  },
  contenders: {
    floor: repeatAsync<State>(({ stack }) => stack.echo(`http://127.0.0.1:${ECHO_PORT}/echo`, SEALED)),
    ours: repeatAsync<State>(async ({ stack }) => stack.fetchReceived('ana', await stack.issue('ana', SEALED))),
  },
  bar: 0.6,
});
