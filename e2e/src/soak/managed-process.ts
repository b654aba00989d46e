import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '@codase/stack';
import { startArguments, type World } from '@codase/testing';
import { second } from './aimed-faults.ts';

export interface ManagedProcess {
  name: string;
  isUp(): boolean;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Ends the process in order, as on SIGTERM. */
  stop(): Promise<unknown>;
  freeze(): void;
  thaw(): void;
  log(): string;
}

/** How many characters of a process's output are kept. */
export const LOG_CHARS = 2000;

type UnitName = Parameters<World['kill']>[0];

export const unitProcess = (world: World, name: UnitName): ManagedProcess => ({
  name,
  isUp: () => world.isUp(name),
  start: () => world.restart(name),
  kill: () => world.kill(name),
  stop: () => world.stop(name),
  freeze: () => world.freeze(name),
  thaw: () => world.thaw(name),
  log: () => world.logOf(name),
});

/** A replica of a service of a world, which may run another release from its next start on. */
export interface ReplicaProcess extends ManagedProcess {
  startsFrom: Replica['startsFrom'];
}
type Replica = Awaited<ReturnType<World['startsReplica']>>;

export const replicaProcess = (name: string, replica: Replica): ReplicaProcess => ({
  startsFrom: (release) => replica.startsFrom(release),
  name,
  isUp: () => replica.isUp,
  start: () => replica.start(),
  kill: () => replica.kill(),
  stop: () => replica.stop(),
  freeze: () => replica.freeze(),
  thaw: () => replica.thaw(),
  log: () => replica.log,
});

export async function secondReplicas(world: World, units: readonly Parameters<World['startsReplica']>[0][]): Promise<ManagedProcess[]> {
  const replicas: ManagedProcess[] = [];
  for (const unit of units) replicas.push(replicaProcess(second(unit), await world.startsReplica(unit)));
  return replicas;
}

/** A program of the bundle in its own process, which reports when it is ready. */
export class BundledProgram implements ManagedProcess {
  private child: ChildProcess | undefined;
  private said = '';

  constructor(
    readonly name: string,
    private readonly program: string,
    private readonly env: Record<string, string>,
  ) {}

  isUp(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  async start(): Promise<void> {
    this.said = '';
    const env = { PATH: process.env['PATH'], ...this.env };
    const args = startArguments({ entry: join(ROOT, 'bundle', `${this.program}.mjs`), imports: [] });
    this.child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.child.stderr!.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-LOG_CHARS)));
    const [said] = (await Promise.race([once(this.child, 'message'), once(this.child, 'exit')])) as unknown[];
    if (said !== 'ready') throw new Error(`${this.name} did not start: ${this.said}`);
  }

  kill(): Promise<void> {
    return this.signal('SIGKILL');
  }

  stop(): Promise<void> {
    return this.signal('SIGTERM');
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  log(): string {
    return this.said;
  }

  private async signal(signal: NodeJS.Signals): Promise<void> {
    if (!this.isUp()) return;
    const gone = once(this.child!, 'exit');
    this.child!.kill(signal);
    await gone;
  }
}
