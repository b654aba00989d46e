import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that refuses everything. Strangers who attack it use as much CPU as when they attack the stack, which tells both apart. */
const CHECKING_MS = 1000;
const HEADERS_MS = 10_000;

const server = createServer({ headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECKING_MS }, (request, response) => {
  response.once('finish', () => request.socket.destroySoon());
  response.writeHead(401, { connection: 'close' }).end();
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
