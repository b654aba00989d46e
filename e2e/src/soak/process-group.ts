import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { LOG_CHARS, type ManagedProcess } from './managed-process.ts';
import type { Cleanup } from './cleanup.ts';

/** How often it is checked which processes are down. */
const LOOK_MS = 100;
/** Longer than a request on the bus is waited for. */
const HANGS_MS = 8000;
const COME_BACK_MS = 180_000;

const exitReport = (member: ManagedProcess) => `${member.name}, which said ${member.log().slice(-LOG_CHARS)}`;

/**
 * Processes that are killed on purpose. Each one that is down is started again, as a cluster would do; one that ended without being killed
 * is counted.
 */
export class ProcessGroup {
  readonly unexpectedExits: string[] = [];
  private readonly ready: Set<ManagedProcess>;
  private readonly killed = new Set<ManagedProcess>();
  private readonly tended: Promise<void>[];
  private isOver = false;

  /** Of processes that run already. */
  private constructor(
    private readonly members: readonly ManagedProcess[],
    private readonly say: (line: string) => void,
  ) {
    this.ready = new Set(members);
    this.tended = members.map((member) => this.tend(member));
  }

  /** Starts those that do not run yet. */
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
    return { name: `${name} is killed`, strike: async () => this.kill(name) };
  }

  /** The signal is sent before this returns; undefined where it is down already. */
  kill(name: string): Promise<void> | undefined {
    const member = this.member(name);
    if (!member.isUp()) return undefined;
    this.ready.delete(member);
    this.killed.add(member);
    return member.kill();
  }

  /** It is asked to leave, finishes what it has in hand, and is started again. Over when the new one is ready. */
  restarting(name: string): Fault {
    return { name: `${name} is restarted`, strike: () => this.restart(this.member(name)) };
  }

  /** For so long that some of those who wait for it give up. */
  hanging(name: string): Fault {
    return { name: `${name} hangs`, strike: () => this.hang(this.member(name), Math.random() * HANGS_MS) };
  }

  /** When all are up and ready. */
  async whole(): Promise<void> {
    const deadline = performance.now() + COME_BACK_MS;
    while (!this.isOver && this.ready.size < this.members.length) {
      if (performance.now() > deadline) throw new Error(`not all came back: ${this.missing.map(exitReport).join('; ')}`);
      await pause(LOOK_MS);
    }
  }

  /** Writes what each process wrote, of all its lives, to a file of its name. */
  async writeLogs(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    await Promise.all(this.members.map((member) => writeFile(join(folder, `${member.name.replaceAll(' ', '-')}.log`), member.log())));
  }

  /** From now on no process is started. */
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
    for (; !this.isOver; await pause(LOOK_MS)) {
      if (member.isUp()) continue;
      if (!this.killed.delete(member) && this.ready.delete(member)) this.recordUnexpectedExit(member);
      await member.start().then(
        () => this.ready.add(member),
        () => undefined,
      );
    }
  }
}
