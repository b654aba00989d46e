import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What an endpoint has seen since it was opened. */
export interface Seen {
  /** Answered with 200. */
  delivered: number;
  /** Answered with anything else. */
  refused: number;
  /** A POST came for a webhook whose last one was not answered yet. */
  overlaps: number;
  /** An event that was not the next one of its webhook. */
  disordered: number;
  /** When the last one was answered, by `monotonicMs`. */
  answeredAt: number;
}

/** Asks for what was seen once so much is delivered. */
export interface Await {
  nth: number;
  delivered: number;
}

const TIMEOUT_MS = 180_000;

/** A clock that all processes of a machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The endpoint of all webhooks, in a process of its own: it costs little, and the same for whoever sends. */
export class Endpoint {
  private asked = 0;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async open(): Promise<Endpoint> {
    const child = fork(fileURLToPath(new URL('endpoint-process.js', import.meta.url)));
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new Endpoint(child.setMaxListeners(0), url);
  }

  /** Where every POST is answered with this status, after so many milliseconds. */
  answering(status: 200 | 500, ms: number): string {
    return `${this.url}/${status}/${ms}`;
  }

  /** What was seen, once so much is delivered; it must not take for ever. */
  async seen(delivered = 0): Promise<Seen> {
    const nth = ++this.asked;
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
