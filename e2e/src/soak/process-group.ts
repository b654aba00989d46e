import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { LOG_CHARS, type ManagedProcess } from './managed-process.ts';
import type { Cleanup } from './cleanup.ts';

const CHECK_MS = 100;
/** How long a process hangs at most: longer than the timeout of a request on the bus. */
const HANGS_MS = 8000;
const COME_BACK_MS = 180_000;

const exitReport = (member: ManagedProcess) => `${member.name}, which said ${member.log().slice(-LOG_CHARS)}`;

/** Processes that are killed on purpose, and started again as by a cluster. Those that end by themselves are counted. */
export class ProcessGroup {
  readonly unexpectedExits: string[] = [];
  private readonly ready: Set<ManagedProcess>;
  private readonly killed = new Set<ManagedProcess>();
  private readonly tended: Promise<void>[];
  private isOver = false;

  /** Takes processes that run already. */
  private constructor(
    private readonly members: readonly ManagedProcess[],
    private readonly say: (line: string) => void,
  ) {
    this.ready = new Set(members);
    this.tended = members.map((member) => this.tend(member));
  }

  static async of(
    members: readonly ManagedProcess[],
    { cleanup, progress }: { cleanup: Cleanup; progress(line: string): void },
  ): Promise<ProcessGroup> {
    const stopped = members.filter((member) => !member.isUp());
    cleanup.push(() => Promise.all(stopped.map((member) => member.kill())));
    await Promise.all(stopped.map((member) => member.start()));
    const processes = new ProcessGroup(members, progress);
    cleanup.push(() => processes.end());
    return processes;
  }

  killing(name: string): Fault {
    const strike = async () => {
      const killed = this.kill(name);
      await killed;
      return killed !== undefined;
    };
    return { name: `${name} is killed`, strike };
  }

  /** Kills a process. The signal is sent before this returns. Returns undefined when the process is down already. */
  kill(name: string): Promise<void> | undefined {
    const member = this.member(name);
    if (!member.isUp()) return undefined;
    this.ready.delete(member);
    this.killed.add(member);
    return member.kill();
  }

  /** A fault that lets a process finish its work, starts it again, and ends when the new process is ready. */
  restarting(name: string): Fault {
    return { name: `${name} is restarted`, strike: () => this.restart(this.member(name)) };
  }

  /** A fault that freezes a process for so long that some callers give up. */
  hanging(name: string): Fault {
    return { name: `${name} hangs`, strike: () => this.hang(this.member(name), Math.random() * HANGS_MS) };
  }

  async whole(): Promise<void> {
    const deadline = performance.now() + COME_BACK_MS;
    while (!this.isOver && this.ready.size < this.members.length) {
      if (performance.now() > deadline) throw new Error(`not all came back: ${this.missing.map(exitReport).join('; ')}`);
      await pause(CHECK_MS);
    }
  }

  /** Writes the output of each process, over all its restarts, to a file with its name. */
  async writeLogs(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    await Promise.all(this.members.map((member) => writeFile(join(folder, `${member.name.replaceAll(' ', '-')}.log`), member.log())));
  }

  private async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.tended);
  }

  private get missing(): ManagedProcess[] {
    return this.members.filter((member) => !this.ready.has(member));
  }

  private member(name: string): ManagedProcess {
    return this.members.find((one) => one.name === name)!;
  }

  private async restart(member: ManagedProcess): Promise<void> {
    this.ready.delete(member);
    this.killed.add(member);
    await member.stop();
    await this.whole();
  }

  private async hang(member: ManagedProcess, ms: number): Promise<void> {
    member.freeze();
    await pause(ms);
    member.thaw();
  }

  private recordUnexpectedExit(member: ManagedProcess): void {
    this.unexpectedExits.push(member.name);
    this.say(`ended by itself: ${exitReport(member)}`);
  }

  private async tend(member: ManagedProcess): Promise<void> {
    for (; !this.isOver; await pause(CHECK_MS)) {
      if (member.isUp()) continue;
      if (!this.killed.delete(member) && this.ready.delete(member)) this.recordUnexpectedExit(member);
      await member.start().then(
        () => this.ready.add(member),
        () => undefined,
      );
    }
  }
}
