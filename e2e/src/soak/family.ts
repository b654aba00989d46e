import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import { LAST_WORDS, type Member } from './members.ts';
import type { Closing } from './closing.ts';

/** How often a look is taken at who is down. */
const LOOK_MS = 100;
/** Longer than a request on the bus is waited for. */
const HANGS_MS = 8000;
const COME_BACK_MS = 180_000;

const lastWords = (member: Member) => `${member.name}, which said ${member.log().slice(-LAST_WORDS)}`;

/** Processes that are killed on purpose. Whoever is down is started again, as a cluster would; who fell without being killed is counted. */
export class Family {
  readonly fallen: string[] = [];
  private readonly ready: Set<Member>;
  private readonly killed = new Set<Member>();
  private readonly tended: Promise<void>[];
  private isOver = false;

  /** Of processes that run already. */
  private constructor(
    private readonly members: readonly Member[],
    private readonly say: (line: string) => void,
  ) {
    this.ready = new Set(members);
    this.tended = members.map((member) => this.tend(member));
  }

  /** Starts those that do not run yet. */
  static async of(members: readonly Member[], { closing, progress }: { closing: Closing; progress(line: string): void }): Promise<Family> {
    const strangers = members.filter((member) => !member.isUp());
    closing.push(() => Promise.all(strangers.map((member) => member.kill())));
    await Promise.all(strangers.map((member) => member.start()));
    const family = new Family(members, progress);
    closing.push(() => family.end());
    return family;
  }

  killing(name: string): Fault {
    return { name: `${name} is killed`, strike: () => this.kill(this.member(name)) };
  }

  /** For so long that some of those who wait for it give up. */
  hanging(name: string): Fault {
    return { name: `${name} hangs`, strike: () => this.hang(this.member(name), Math.random() * HANGS_MS) };
  }

  /** When all are up and ready. */
  async whole(): Promise<void> {
    const deadline = performance.now() + COME_BACK_MS;
    while (!this.isOver && this.ready.size < this.members.length) {
      if (performance.now() > deadline) throw new Error(`not all came back: ${this.missing.map(lastWords).join('; ')}`);
      await pause(LOOK_MS);
    }
  }

  /** Nobody is started any more. */
  private async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.tended);
  }

  private get missing(): Member[] {
    return this.members.filter((member) => !this.ready.has(member));
  }

  private member(name: string): Member {
    return this.members.find((one) => one.name === name)!;
  }

  private async hang(member: Member, ms: number): Promise<void> {
    member.freeze();
    await pause(ms);
    member.thaw();
  }

  private async kill(member: Member): Promise<void> {
    if (!member.isUp()) return;
    this.ready.delete(member);
    this.killed.add(member);
    await member.kill();
  }

  private mourn(member: Member): void {
    this.fallen.push(member.name);
    this.say(`fell: ${lastWords(member)}`);
  }

  private async tend(member: Member): Promise<void> {
    for (; !this.isOver; await pause(LOOK_MS)) {
      if (member.isUp()) continue;
      if (!this.killed.delete(member) && this.ready.delete(member)) this.mourn(member);
      await member.start().then(
        () => this.ready.add(member),
        () => undefined,
      );
    }
  }
}
