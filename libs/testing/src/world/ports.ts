import { createServer } from 'node:net';
import { UNIT_NAMES, type Ports, type UnitName } from '@cds/stack';

/**
 * Ports below the range the system gives to outgoing connections, a stretch of it for each test worker: what is free
 * when we look is still free when the service listens.
 */
const FIRST = 15_000;
const PER_WORKER = 1500;
const WORKERS = 10;

/** Two test runs on one machine have the same workers: each begins somewhere else in the stretch. */
let next = (process.pid * 131) % PER_WORKER;

export async function worldPort(): Promise<number> {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? process.pid) % WORKERS;
  for (let tries = 0; tries < PER_WORKER; tries++) {
    const port = FIRST + worker * PER_WORKER + (next++ % PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port for a test world: are worlds left open?');
}

export async function worldPorts(): Promise<Ports> {
  const ops: Partial<Record<UnitName, number>> = {};
  for (const name of UNIT_NAMES) ops[name] = await worldPort();
  return {
    serving: {
      'front-door': await worldPort(),
      'region-eu': await worldPort(),
      'region-us': await worldPort(),
      'feed-consumer': await worldPort(),
      gateway: await worldPort(),
    },
    traces: 0,
    postgres: 0,
    nats: 0,
    example: 0,
    ops: ops as Record<UnitName, number>,
  };
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
