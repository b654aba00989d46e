import { createServer } from 'node:net';
import { StartFailure } from './start-failure.ts';

/**
 * Free ports are taken below the range that the system gives to outgoing connections. Each test worker has its own part of them, and so
 * have other processes: a port that is free now is still free when the service listens.
 */
const FIRST = 15_000;
const PER_WORKER = 1500;
const WORKERS = 5;
const OTHERS = 5;

/** Two test runs on one machine have workers with the same ids, so each process begins at another place in its part. */
let next = (process.pid * 131) % PER_WORKER;

/** Returns a TCP port of 127.0.0.1 that nobody listens on at this moment; a second call returns another one. */
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

/** Starts a server on the given port, or on a free one. When another program takes the free port first, the next one is tried. */
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
