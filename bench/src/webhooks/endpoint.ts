import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Seen {
  delivered: number;
  refused: number;
  /** POSTs to a webhook whose previous POST was not answered yet. */
  overlaps: number;
  /** Events that were not the next one of their webhook. */
  disordered: number;
  /** When the last POST was answered, by `sharedNow`. */
  answeredAt: number;
}

/** A request for the counts once this many events are delivered. */
export interface Await {
  nth: number;
  delivered: number;
}

const TIMEOUT_MS = 180_000;

/** The endpoint of all webhooks, in its own process. It costs little, and the same for every sender. */
export class Endpoint {
  private requests = 0;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async open(): Promise<Endpoint> {
    const child = fork(fileURLToPath(new URL('endpoint-process.js', import.meta.url)));
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new Endpoint(child.setMaxListeners(0), url);
  }

  /** Returns the address at which every POST is answered with this status, after this many milliseconds. */
  answering(status: 200 | 500, ms: number): string {
    return `${this.url}/${status}/${ms}`;
  }

  /** Waits until this many events are delivered, at most for the timeout. Returns the counts. */
  async seen(delivered = 0): Promise<Seen> {
    const nth = ++this.requests;
    const messages = on(this.child, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    this.child.send({ nth, delivered });
    try {
      for await (const [answer] of messages as AsyncIterable<[{ nth: number; seen: Seen }]>) if (answer.nth === nth) return answer.seen;
    } catch (cause) {
      throw new Error(
        `The endpoint did not see ${delivered} deliveries within ${TIMEOUT_MS / 1000} seconds: one was lost, or the machine is very busy.`,
        { cause },
      );
    }
    throw new Error('The endpoint ended: see its message above.');
  }

  async close(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await gone;
  }
}
