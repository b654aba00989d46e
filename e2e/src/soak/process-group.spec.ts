import { setTimeout as pause } from 'node:timers/promises';
import { Cleanup } from './cleanup.ts';
import { ProcessGroup } from './process-group.ts';
import type { ManagedProcess } from './managed-process.ts';

/** A played process, which only keeps the state that a real one would have. */
class Played implements ManagedProcess {
  starts = 0;
  isRunning = false;
  isFrozen = false;

  constructor(readonly name: string) {}

  isUp(): boolean {
    return this.isRunning;
  }

  async start(): Promise<void> {
    this.starts += 1;
    this.isRunning = true;
  }

  async kill(): Promise<void> {
    this.isRunning = false;
  }

  stops = 0;
  async stop(): Promise<void> {
    this.stops += 1;
    this.isRunning = false;
  }

  freeze(): void {
    this.isFrozen = true;
  }

  thaw(): void {
    this.isFrozen = false;
  }

  log(): string {
    return 'farewell';
  }
}

describe('a group of processes', () => {
  const cleanup = new Cleanup();
  const said: string[] = [];
  const [first, second] = [new Played('first'), new Played('second')];
  let processes: ProcessGroup;
  beforeAll(async () => {
    processes = await ProcessGroup.of([first, second], { cleanup, progress: (line) => void said.push(line) });
  });
  afterAll(() => cleanup.close());

  const isStarted = async (member: Played, times: number) => {
    while (member.starts < times) await pause(10);
  };

  it('restarts a process that was killed, and no other, and counts no kill of one that is down', async () => {
    const kill = () => processes.killing('first').strike(new AbortController().signal);
    expect(await Promise.all([kill(), kill()])).toEqual([true, false]);
    expect(first.isUp()).toBe(false);

    await isStarted(first, 2);
    await processes.whole();
    expect([second.starts, processes.unexpectedExits]).toEqual([1, []]);
  });

  it('stops one process in order, and waits until its successor is ready', async () => {
    const [stops, starts] = [second.stops, second.starts];
    await processes.restarting('second').strike(new AbortController().signal);

    expect([second.stops, second.starts, second.isUp(), processes.unexpectedExits]).toEqual([stops + 1, starts + 1, true, []]);
  });

  it('counts a process that ended by itself, and reports its last log line', async () => {
    second.isRunning = false;

    await isStarted(second, 3);
    expect([processes.unexpectedExits, said]).toEqual([['second'], ['ended by itself: second, which said farewell']]);
  });

  it('starts nothing after it is closed, and leaves no process running', async () => {
    await cleanup.close();

    expect([first.isUp(), second.isUp(), first.starts, second.starts]).toEqual([false, false, 2, 3]);
  });
});
