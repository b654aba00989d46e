import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onCores, type Cores } from './cores.ts';
import { MEMORY_REQUEST, type UsedMemory } from './memory-probe.ts';
import { cpuMicroseconds } from './process-cpu.ts';

/** The kernel's code for resetting the peak memory. */
const RESET_PEAK = '5';

export interface ServerOptions {
  cores?: Cores;
  imports?: readonly string[];
  hasMemoryProbe?: boolean;
}

const MEMORY_PROBE = ['--expose-gc', '--import', new URL('memory-probe.js', import.meta.url).href];

/** A server in its own process, so that its CPU is measured apart from the client's. It reports over IPC that it is ready. */
export class ServerProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(
    program: string | URL,
    env: Readonly<Record<string, string>>,
    { cores, imports = [], hasMemoryProbe = false }: ServerOptions = {},
  ): Promise<ServerProcess> {
    const entry = program instanceof URL ? fileURLToPath(program) : program;
    const before = [...(hasMemoryProbe ? MEMORY_PROBE : []), ...imports.flatMap((file) => ['--import', file])];
    const child = spawn(...onCores(cores, process.execPath, [...before, entry]), {
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'error', ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const died = once(child, 'exit').then(() => {
      throw new Error(`${entry} ended before it was ready: see its message above.`);
    });
    await Promise.race([once(child, 'message'), died]);
    died.catch(() => undefined); // its later end is intended
    return new ServerProcess(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get cpuMicroseconds(): number {
    return cpuMicroseconds(this.pid);
  }

  get residentMegabytes(): number {
    return this.status('VmRSS');
  }

  /** Returns the peak memory since the last call. The kernel records it, so that no peak is missed between samples. */
  takePeakMegabytes(): number {
    const peak = this.status('VmHWM');
    writeFileSync(`/proc/${this.pid}/clear_refs`, RESET_PEAK);
    return peak;
  }

  async usedMemory(): Promise<UsedMemory> {
    const [answered] = [once(this.child, 'message'), this.child.send(MEMORY_REQUEST)];
    return ((await answered) as [UsedMemory])[0];
  }

  private status(line: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill();
    await gone;
  }
}
