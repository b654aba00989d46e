import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

interface Served {
  /** Answers a request of a login, and returns whether it was one. */
  routes: (request: IncomingMessage, response: ServerResponse) => boolean;
  metrics: (request: IncomingMessage, response: ServerResponse) => void;
  health: () => { ready: boolean };
  /** The address that the server listens at. */
  host: string;
}

/**
 * Makes the server for probes, metrics and logins. On a loopback address it refuses pages of others: any page in a browser of this machine
 * can send requests here, also by a name of its own that leads here.
 */
export function probeServer({ routes, metrics, health, host }: Served): Server {
  const isForThisMachine = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return createServer((request, response) => {
    if (isForThisMachine && isFromOtherPage(request)) return void response.writeHead(403).end();
    if (routes(request, response)) return;
    if (request.url === '/metrics') return metrics(request, response);
    const found = health();
    response
      .writeHead(found.ready || request.url === '/livez' ? 200 : 503, { 'content-type': 'application/json' })
      .end(JSON.stringify(found));
  });
}

const OWN_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

const isFromOtherPage = ({ headers: { host = '', origin } }: IncomingMessage): boolean =>
  !OWN_NAME.test(host) || (origin !== undefined && origin !== `http://${host}`);
