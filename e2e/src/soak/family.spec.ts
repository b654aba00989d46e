import { setTimeout as pause } from 'node:timers/promises';
import { Closing } from './closing.ts';
import { Family } from './family.ts';
import type { Member } from './members.ts';

/** A process that is only said to run. */
class Played implements Member {
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

describe('a family of processes', () => {
  const closing = new Closing();
  const said: string[] = [];
  const [first, second] = [new Played('first'), new Played('second')];
  let family: Family;
  beforeAll(async () => {
    family = await Family.of([first, second], { closing, progress: (line) => void said.push(line) });
  });
  afterAll(() => closing.close());

  const isStarted = async (member: Played, times: number) => {
    while (member.starts < times) await pause(10);
  };

  it('starts whoever was killed again, and nobody else', async () => {
    await family.killing('first').strike();
    expect(first.isUp()).toBe(false);

    await isStarted(first, 2);
    await family.whole();
    expect([second.starts, family.fallen]).toEqual([1, []]);
  });

  it('counts who fell without being killed, and tells its last words', async () => {
    second.isRunning = false;

    await isStarted(second, 2);
    expect([family.fallen, said]).toEqual([['second'], ['fell: second, which said farewell']]);
  });

  it('starts nobody any more when it is over, and leaves nobody behind', async () => {
    await closing.close();

    expect([first.isUp(), second.isUp(), first.starts, second.starts]).toEqual([false, false, 2, 2]);
  });
});
