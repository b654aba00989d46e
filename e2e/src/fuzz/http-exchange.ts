import { Agent, request, type IncomingMessage } from 'node:http';
import type { Wire } from '@codase/testing/hostile-requests';
import type { Answer } from './judge.ts';

const TIMEOUT_MS = 60_000;
const NO_ANSWER: Answer = { status: 0, type: '', body: '' };
/** No answer of the platform to these requests is longer; a longer one is cut. */
const MAX_BODY = 4 * 1024 * 1024;

/** Sends requests over connections that are kept open. */
export class HttpExchange {
  private readonly agent: Agent;

  constructor(connections: number) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Returns the answer; status 0 when none came. */
  async send(base: string, method: string, wire: Wire): Promise<Answer> {
    return (await this.attempt(base, method, wire)) ?? (await this.attempt(base, method, wire)) ?? NO_ANSWER;
  }

  /** Returns undefined when the server closed a kept connection just as the request was sent: nobody has read the request then. */
  private attempt(base: string, method: string, { target, headers, body }: Wire): Promise<Answer | undefined> {
    const { hostname, port } = new URL(base);
    const length = body ? { 'content-length': String(body.length) } : {};
    return new Promise((resolve) => {
      const pending = request(
        { agent: this.agent, hostname, port, method, path: sendable(target), headers: { ...headers, ...length }, timeout: TIMEOUT_MS },
        (response) => void read(response).then(resolve),
      );
      pending.on('timeout', () => pending.destroy());
      pending.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(pending.reusedSocket && code === 'ECONNRESET' ? undefined : NO_ANSWER),
      );
      pending.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function read(response: IncomingMessage): Promise<Answer> {
  const type = response.headers['content-type'] ?? '';
  const answer = { status: response.statusCode ?? 0, type };
  if (type.includes('text/event-stream')) {
    response.destroy(); // the stream would go on for an hour
    return { ...answer, body: '' };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY) chunks.push(chunk);
    }
  } catch {
    return NO_ANSWER;
  }
  return { ...answer, body: Buffer.concat(chunks).toString('utf8') };
}

/** Node refuses to send control characters, blanks and letters beyond Latin-1 in a path. */
// oxlint-disable-next-line no-control-regex
const sendable = (target: string) => target.replace(/[\u0000-\u0020\u0100-\uffff]/g, (text) => encodeURIComponent(text.toWellFormed()));
