import { createServer } from 'node:net';
import { StartFailure } from './start-failure.ts';

/**
 * Free ports are taken below the range that the system gives to outgoing connections, and each test worker has a part of them, as other
 * processes have: what is free when we look is still free when the service listens.
 */
const FIRST = 15_000;
const PER_WORKER = 1500;
const WORKERS = 5;
const OTHERS = 5;

/** Two test runs on one machine have the same workers: each begins somewhere else in the part. */
let next = (process.pid * 131) % PER_WORKER;

/** A TCP port of 127.0.0.1 that nobody listens on at this moment; a second call gives another one. */
export async function freePort(): Promise<number> {
  const id = process.env['JEST_WORKER_ID'];
  const worker = id === undefined ? WORKERS + (process.pid % OTHERS) : Number(id) % WORKERS;
  for (let tries = 0; tries < PER_WORKER; tries++) {
    const port = FIRST + worker * PER_WORKER + (next++ % PER_WORKER);
    if (await isFree(port)) return port;
  }
  const last = FIRST + (worker + 1) * PER_WORKER - 1;
  throw new Error(`no free port from ${FIRST + worker * PER_WORKER} to ${last}: end the test servers that are left running`);
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** Starts on the given port, or on a free one; should another program take the free one first, on the next. */
export async function onPort<T>(port: number | undefined, start: (port: number) => Promise<T>): Promise<T> {
  if (port !== undefined) return start(port);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === 3 || !(error instanceof StartFailure) || error.reason !== 'port_taken') throw error;
    }
  }
}
