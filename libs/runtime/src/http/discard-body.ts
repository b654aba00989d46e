import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a refused body is still read, and for how long after the answer. */
const DISCARDED_BYTES = 16 * 1024 * 1024;
/** How much is read of a body that is longer than that, or does not say its length. */
const DISCARDED_OF_LONGER = 256 * 1024;
const DISCARDING_MS = 3000;

/**
 * Reads and drops what a refused caller still sends: a connection that is closed with unread bytes is reset, and the answer may be lost
 * with it. The connection is kept when the rest is short and comes soon. Otherwise it is closed after the answer on our side only, and cut
 * when the caller has had time to read the answer. Most of a long body is left in the network meanwhile: what is read takes memory outside
 * the heap, for which the garbage collector stops the process again and again.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !bringsBody(request)) return;
  const { socket } = request;
  const isKept = Number(request.headers['content-length'] ?? Infinity) <= DISCARDED_BYTES && request.headers.expect === undefined;
  if (!isKept) {
    response.setHeader('connection', 'close');
    socket.destroySoon = () => void socket.end();
  }
  const cut = () => {
    request.pause();
    if (response.writableFinished) socket.destroy();
    else response.once('finish', () => socket.destroy());
  };
  const late = setTimeout(cut, DISCARDING_MS);
  let left = isKept ? DISCARDED_BYTES : DISCARDED_OF_LONGER;
  const end = () => {
    clearTimeout(late);
    if (!isKept) cut();
  };
  request.unpipe();
  request.once('end', end).once('close', end);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  request.resume();
}

const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
