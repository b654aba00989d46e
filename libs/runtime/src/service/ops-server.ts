import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../config/index.ts';
import { answerBrokenRequest, answering, boundedServer, discardBody, forThisMachine, type HttpServerTimeouts } from '../http/index.ts';
import { telemetry, type Log } from '../telemetry/index.ts';
import type { Readiness } from './health.ts';

/** The documents that a service publishes about itself, by path. */
export type Documents = Readonly<Record<string, () => object>>;

/** Requests for probes and metrics are short, and few clients make them. */
const TIMEOUTS: HttpServerTimeouts = { headersMs: 5000, requestMs: 5000, idleMs: 60_000 };
const LIMITS = { most: 256, perAddress: 64 };

/**
 * Serves /livez, /readyz, /metrics and a service's own documents on a port of their own that no caller reaches. On loopback, pages in a
 * browser of this machine do not reach it either.
 */
export async function openOpsServer({
  host,
  port,
  readiness,
  documents = {},
  log,
  timeouts = TIMEOUTS,
}: {
  host: string;
  port: number;
  readiness(): Promise<Readiness>;
  documents?: Documents;
  log: Log;
  timeouts?: HttpServerTimeouts;
}): Promise<{ url: string; close(): Promise<void> }> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    discardBody(request, response); // Node by itself would read the body to its end, however long it is
    if (request.url === '/livez') return answer(response, 200, { alive: true });
    if (request.url === '/readyz') {
      const state = await readiness();
      return answer(response, state.ready ? 200 : 503, state);
    }
    if (request.url === '/metrics' && telemetry.writeMetrics) return telemetry.writeMetrics(request, response);
    if (Object.hasOwn(documents, request.url ?? '')) return answer(response, 200, documents[request.url!]!());
    const paths = ['/livez', '/readyz', '/metrics', ...Object.keys(documents)];
    return answer(response, 404, { error: `Ask ${paths.join(', ')}` });
  };
  // In a cluster the port is reached by names that the cluster gives.
  const guard = isLoopback(host) ? forThisMachine : answering;
  const server = boundedServer(guard(serve), { timeouts, limits: LIMITS, log }).on('clientError', answerBrokenRequest);
  await listen(server, port, host);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listen = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
