import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** A result whose handler wants to know whether it left: `left` is called once, and something may stay open until then. */
export class TrackedAnswer<T> {
  readonly result: T;
  readonly left: (wasWritten: boolean) => void;
  readonly withinMs: number;

  /** An answer that has not left in time is cut off. */
  constructor(result: T, { left, withinMs }: { left: (wasWritten: boolean) => void; withinMs: number }) {
    this.result = result;
    this.left = left;
    this.withinMs = withinMs;
  }
}

/**
 * Writes the answer and watches it. The answer has left when all of it was handed to the operating system while the connection stood. Node
 * also emits `finish` when it gives up bytes that waited on a broken connection: then the socket has failed, though it may not be destroyed
 * yet. Node detaches the socket right after, so our listener has to run first. An answer that fitted into the buffers of the operating
 * system and was never read looks as if it had left; only a lease tells the two apart.
 */
export function sendTracked({ raw }: FastifyReply, { left, withinMs }: TrackedAnswer<unknown>, write: () => unknown): unknown {
  const late = setTimeout(() => raw.destroy(), withinMs);
  let isOver = false;
  const end = (wasWritten: boolean) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    left(wasWritten);
  };
  raw.prependOnceListener('finish', () => end(raw.statusCode < 400 && isWhole(raw.socket)));
  raw.once('close', () => end(false));
  if (raw.destroyed || raw.closed) end(false);
  try {
    return write();
  } catch (error) {
    end(false);
    throw error;
  }
}

const isWhole = (socket: Socket | null): boolean => socket !== null && !socket.destroyed && socket.errored === null;
