import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server of Node that does nothing: it refuses every request and closes. Strangers who attack it take as much of the CPU as when they
 * attack the stack, so what good callers lose to the machine is known apart from what they lose to the stack.
 */
const CHECKING_MS = 1000;
const HEADERS_MS = 10_000;

const server = createServer({ headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECKING_MS }, (request, response) => {
  response.once('finish', () => request.socket.destroySoon());
  response.writeHead(401, { connection: 'close' }).end();
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
