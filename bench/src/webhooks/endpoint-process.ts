import { createServer, type Socket } from 'node:net';
import { sharedNow } from '../harness/shared-now.ts';
import type { Await, Seen } from './endpoint.ts';

/** Receives webhooks and reports what it saw. `/200/2` answers with 200 after 2 ms. Reads just enough of HTTP to find a request's end. */
const seen: Seen = { delivered: 0, refused: 0, overlaps: 0, disordered: 0, answeredAt: 0 };
const inFlight = new Set<string>();
const lastOf = new Map<string, number>();
let awaited: Await[] = [];

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = 200;
const ANSWERS = new Map([
  [OK, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  [500, 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'],
]);

const server = createServer((socket) => {
  let buffered: Buffer = Buffer.alloc(0);
  socket
    .setNoDelay()
    .on('error', () => socket.destroy())
    .on('data', (chunk: Buffer) => {
      buffered = buffered.length ? Buffer.concat([buffered, chunk]) : chunk;
      const bodyStart = buffered.indexOf(HEAD_END) + HEAD_END.length;
      if (bodyStart < HEAD_END.length) return;
      const head = buffered.toString('latin1', 0, bodyStart);
      const end = bodyStart + Number(/content-length: (\d+)/i.exec(head)![1]);
      if (buffered.length < end) return;
      take(socket, head, buffered.toString('latin1', bodyStart, end));
      buffered = buffered.subarray(end);
    });
});

function take(socket: Socket, head: string, body: string): void {
  const [, status, ms] = /^POST \/(\d+)\/(\d+) /.exec(head)!;
  const hook = /x-platform-webhook-id: (\S+)/i.exec(head)![1]!;
  if (inFlight.has(hook)) seen.overlaps += 1;
  inFlight.add(hook);
  const reply = () => {
    inFlight.delete(hook);
    count(hook, Number(status), Number(/"flow_run_id":"(\d+)"/.exec(body)![1]));
    socket.write(ANSWERS.get(Number(status))!);
    seen.answeredAt = sharedNow();
    tell();
  };
  if (ms === '0') reply();
  else setTimeout(reply, Number(ms));
}

/** Counts a delivery. The events of a webhook are numbered without a gap, so one that is missing, repeated or early is out of order. */
function count(hook: string, status: number, number: number): void {
  if (status !== OK) {
    seen.refused += 1;
    return;
  }
  seen.delivered += 1;
  if (number !== (lastOf.get(hook) ?? 0) + 1) seen.disordered += 1;
  lastOf.set(hook, number);
}

/** Answers the waiting requests whose count is reached. */
function tell(): void {
  if (awaited.length === 0) return;
  const reached = awaited.filter(({ delivered }) => seen.delivered >= delivered);
  awaited = awaited.filter((one) => !reached.includes(one));
  for (const { nth } of reached) process.send!({ nth, seen });
}

process.on('message', (message: Await) => {
  awaited.push(message);
  tell();
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send!({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }));
