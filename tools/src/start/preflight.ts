import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { failedWith, Fault, messageOf } from '@codase/command-line';
import { listenerOn } from '@codase/stack/processes';

export interface WantedPort {
  port: number;
  for: string;
}

/** The machine as the checks see it; a test may pass its own. */
export interface Machine {
  node: string;
  freeBytes(dir: string): Promise<number>;
}

/** The oldest release line of Node that is tested. Commands run in a newer one unless they are told to stay in theirs. */
const OLDEST_NODE = 24;
const MIN_FREE_BYTES = 500 * 1024 * 1024;

export const thisMachine: Machine = {
  node: process.versions.node,
  freeBytes: async (dir) => {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  },
};

/** Checks everything that would keep the stack from starting. Throws one Fault with all problems, before anything is started. */
export async function preflight(dir: string, ports: readonly WantedPort[], machine = thisMachine): Promise<void> {
  await refuseAny([nodeFault(machine.node), diskFault(dir, machine), ...ports.map(portFault)]);
}

export const checkPorts = (ports: readonly WantedPort[]): Promise<void> => refuseAny(ports.map(portFault));

async function refuseAny(checks: readonly (string | undefined | Promise<string | undefined>)[]): Promise<void> {
  const faults = (await Promise.all(checks.map((check) => Promise.resolve(check)))).filter((fault) => fault !== undefined);
  if (faults.length) throw new Fault(faults);
}

function nodeFault(version: string): string | undefined {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return undefined;
  return `Node ${version} is too old: install Node ${OLDEST_NODE} or later (https://nodejs.org).`;
}

async function diskFault(dir: string, machine: Machine): Promise<string | undefined> {
  const free = await machine.freeBytes(dir);
  if (free >= MIN_FREE_BYTES) return undefined;
  const left = `${Math.floor(free / 1024 / 1024)} MB`;
  return `The disk of ${dir} has ${left} left and 500 MB are needed: free some space, or point CODASE_STATE_DIR to another disk.`;
}

async function portFault({ port, for: wantedBy }: WantedPort): Promise<string | undefined> {
  const error = await tryPort(port);
  if (!error) return undefined;
  const what = `Port ${port}, wanted by ${wantedBy},`;
  if (!failedWith(error, 'EADDRINUSE')) return `${what} cannot be opened (${messageOf(error)}): choose other ports with --port-base.`;
  const holder = listenerOn(port);
  const by = holder ? `process ${holder.pid} (${holder.command})` : 'another program';
  return `${what} is taken by ${by}: stop that program, or choose other ports with --port-base.`;
}

function tryPort(port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
