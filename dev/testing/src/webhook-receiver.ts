import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { selfSignedCertificate } from './self-signed.ts';

/** One request as it arrived. */
export interface Delivery {
  /** The number of the delivery, from 1. */
  order: number;
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** The exact bytes, because the signature is computed over them. */
  body: Buffer;
  /** The time of arrival by the machine's clock, in milliseconds. */
  receivedAt: number;
}

/** What the receiver does with a delivery. */
type Answer =
  | { status: number; headers?: Record<string, string>; body?: string; delayMs?: number; after?: Promise<unknown> }
  | { redirect: string; status?: number }
  /** Takes the request and never answers. */
  | 'hang'
  /** Closes the connection instead of answering. */
  | 'close'
  /** Answers 200 with a body that never ends. */
  | 'endless body';

/** One answer for every delivery, or a function that chooses one. */
type Answering = Answer | ((delivery: Delivery) => Answer);

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A webhook endpoint of a company: a real server that keeps its deliveries and answers as configured, with 200 by default. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  /** The greatest number of requests that were in flight at once. */
  maxInFlight = 0;
  private inFlight = 0;
  private handedOut = 0;
  private always: Answering = { status: 200 };
  private readonly answers: Answering[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly server: http.Server,
    readonly certificate?: string,
  ) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  /** Opens a receiver. With `tls`, a caller must trust its `certificate`. */
  static async open({ tls = false }: { tls?: boolean } = {}): Promise<WebhookReceiver> {
    const pair = tls ? selfSignedCertificate() : undefined;
    const server = pair ? https.createServer(pair) : http.createServer();
    const receiver = new WebhookReceiver(server, pair?.cert);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.certificate ? 'https' : 'http'}://127.0.0.1:${this.port}/`;
  }

  /** Sets the answers to the next deliveries, one after the other. Later deliveries are answered as before. */
  answerNext(...answers: Answering[]): void {
    this.answers.push(...answers);
  }

  /** Sets the answer to all deliveries from now on. */
  answer(answer: Answering): void {
    this.always = answer;
  }

  /** Waits for the first delivery that `next` has not returned yet. */
  async next(timeoutMs = 120_000): Promise<Delivery> {
    const index = this.handedOut;
    this.handedOut += 1;
    return (await this.received(index + 1, timeoutMs))[index]!;
  }

  /** Waits until there are at least this many deliveries, and returns all. */
  async received(count: number, timeoutMs = 120_000): Promise<Delivery[]> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (this.deliveries.length < count) {
      await this.change(deadline, () => `Waited ${timeoutMs} ms for ${count} deliveries and got ${this.deliveries.length}.`);
    }
    return [...this.deliveries];
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private change(deadline: AbortSignal, sentence: () => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => () => {
        this.waiting.delete(wake);
        settle();
      };
      const wake = done(resolve);
      this.waiting.add(wake);
      deadline.addEventListener(
        'abort',
        done(() => reject(new Error(sentence()))),
        { once: true },
      );
    });
  }

  private async take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    response.once('close', () => {
      this.inFlight -= 1;
    });
    const body = await readBody(request);
    if (!body) return;
    const { method = '', url: path = '', headers } = request;
    const delivery = { order: this.deliveries.length + 1, method, path, headers, body, receivedAt: Date.now() };
    this.deliveries.push(delivery);
    for (const wake of this.waiting) wake();
    const answer = this.answers.shift() ?? this.always;
    await give(typeof answer === 'function' ? answer(delivery) : answer, response);
  }
}

/** Reads the body. Returns undefined when the sender broke off or sent more than the limit. */
async function readBody(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return void request.destroy();
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

async function give(answer: Answer, response: http.ServerResponse): Promise<void> {
  if (answer === 'hang') return;
  if (answer === 'close') return void response.destroy();
  if (answer === 'endless body') return endlessBody(response.writeHead(200));
  if ('redirect' in answer) return void response.writeHead(answer.status ?? 302, { location: answer.redirect }).end();
  if (answer.delayMs) await sleep(answer.delayMs);
  await answer.after;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

async function endlessBody(response: http.ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(16 * 1024, 'x');
  while (!response.destroyed) {
    if (!response.writableNeedDrain) response.write(chunk);
    await sleep(5);
  }
}
