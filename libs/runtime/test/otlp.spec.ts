import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const RUNTIME = new URL('../dist/', import.meta.url);

/** A service's work: a measurement and a log line whose error quotes data. */
const WORK = `
  const { count, openLog } = await import('${RUNTIME.href}telemetry/index.js');
  count({ name: 'codase.test.done', kind: 'counter', unit: '{work}', what: 'For a test' }, { 'codase.service': 'shop' });
  openLog('worker').error('work failed', { 'codase.service': 'shop', secret: 'hunter2', error: new Error('choked on hunter2') });
  await (await import('${RUNTIME.href}telemetry/running.js')).telemetry.flush();
`;

describe('what a process sends by OTLP', () => {
  const sent = new Map<string, string>();
  let collector: Server;
  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      sent.set(request.url!, (sent.get(request.url!) ?? '') + (await text(request)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  beforeEach(() => sent.clear());
  afterAll(() => collector.close());

  async function works(env: NodeJS.ProcessEnv): Promise<void> {
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const args = ['--import', `${RUNTIME.href}telemetry/register.js`, '--input-type=module', '-e', WORK];
    const settings = { ...process.env, OTEL_SERVICE_NAME: 'worker', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env };
    const child = spawn(process.execPath, args, { env: settings, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([0, null]);
  }

  it('is neither a metric nor a log, when only an endpoint is set', async () => {
    await works({});
    expect([...sent.keys()]).toEqual([]); // it has no span to send
  });

  it('is metrics and logs when they are named, and nothing that an error quoted', async () => {
    await works({ OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp' });

    expect([...sent.keys()].toSorted()).toEqual(['/v1/logs', '/v1/metrics']);
    expect(sent.get('/v1/metrics')).toContain('codase.test.done');
    expect(sent.get('/v1/metrics')).toContain('process.memory.usage');
    expect(sent.get('/v1/logs')).toContain('work failed');
    expect(sent.get('/v1/logs')).toContain('"worker"');
    expect([...sent.values()].join('')).not.toContain('hunter2');
  });
});
