import { join } from 'node:path';
import { asFault, Fault, messageOf } from '@codase/command-line';
import type { Interruption } from './interruption.ts';
import { keepLogsBounded } from './log-file.ts';
import type { Progress } from './progress.ts';
import { ServerKeeper } from './server-keeper.ts';
import type { Server, Stack, Step } from './stack.ts';
import type { StateFolder } from './state-folder.ts';
import { Supervisor } from './supervisor.ts';
import type { Teardown } from './teardown.ts';
import type { Unit } from './unit.ts';

/** The objects that a start uses while it brings the stack up. */
export interface StartContext {
  root: string;
  folder: StateFolder;
  progress: Progress;
  teardown: Teardown;
  interruption: Interruption;
}

export interface Running {
  servers: readonly Server[];
  supervisor: Supervisor;
}

/** Brings everything up in order. The teardown knows all that was started, also when this throws. */
export async function bringUp(stack: Stack, context: StartContext): Promise<Running> {
  const servers = await startServers(stack, context);
  for (const step of stack.steps) await takeStep(step, context);
  const units = stack.units();
  boundLogs(units, servers, context);
  const supervisor = await startUnits(units, context);
  for (const step of stack.whenUp ?? []) await takeStep(step, context);
  return { servers, supervisor };
}

/** Waits for all servers before it throws a fault: a half-started server could not be stopped. */
async function startServers(stack: Stack, { folder, progress, teardown, interruption }: StartContext): Promise<Server[]> {
  const named = ({ title, where }: Server) => `${title} on ${where}`;
  const settled = await Promise.allSettled(stack.servers.map(({ name, start }) => progress.step(name, start, named)));
  const servers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const say = (line: string) => progress.say(line);
  for (const { name, title, own, close } of servers) {
    if (own) teardown.add(title, new ServerKeeper(title, own, join(folder.pids, name), say));
    if (close) teardown.add(title, { stop: close, kill: () => void close() });
  }
  const faults = settled.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []));
  if (faults.length) throw new Fault(faults);
  interruption.check();
  return servers;
}

async function takeStep({ name, run }: Step, { progress, interruption }: StartContext): Promise<void> {
  try {
    await interruption.orElse(progress.step(name, run));
  } catch (error) {
    throw asFault(error, `${name}: `);
  }
}

async function startUnits(units: readonly Unit[], { root, folder, progress, teardown, interruption }: StartContext): Promise<Supervisor> {
  const supervisor = new Supervisor(units, { cwd: root, logs: folder.logs, pids: folder.pids }, (line) => progress.say(line));
  teardown.add('services', supervisor);
  const named = ({ name, url }: Unit) => (url ? `${name} on ${url}` : name);
  await interruption.orElse(
    supervisor.start((unit, started) =>
      progress.step(
        unit.name,
        () => started,
        () => named(unit),
      ),
    ),
  );
  return supervisor;
}

function boundLogs(units: readonly Unit[], servers: readonly Server[], { folder, teardown }: StartContext): void {
  const logs = [...units.map(({ name }) => join(folder.logs, `${name}.log`)), ...servers.flatMap(({ own }) => own?.log ?? [])];
  const end = keepLogsBounded(logs);
  teardown.add('logs', { stop: async () => end(), kill: end });
}
