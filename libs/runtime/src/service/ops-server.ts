import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { telemetry } from '../telemetry/index.ts';
import type { Readiness } from './health.ts';

/** What a service tells about itself, by path. */
export type Documents = Readonly<Record<string, () => object>>;

/**
 * Probes and metrics, on a port of their own that no caller reaches: /livez, /readyz, /metrics. A service may add documents about itself,
 * each by its path.
 */
export async function openOpsServer({
  host,
  port,
  readiness,
  documents = {},
}: {
  host: string;
  port: number;
  readiness(): Promise<Readiness>;
  documents?: Documents;
}): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === '/livez') return answer(response, 200, { alive: true });
    if (request.url === '/readyz') return void readiness().then((state) => answer(response, state.ready ? 200 : 503, state));
    if (request.url === '/metrics' && telemetry.writeMetrics) return telemetry.writeMetrics(request, response);
    if (Object.hasOwn(documents, request.url ?? '')) return answer(response, 200, documents[request.url!]!());
    const paths = ['/livez', '/readyz', '/metrics', ...Object.keys(documents)];
    return answer(response, 404, { error: `Ask ${paths.join(', ')}` });
  });
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
