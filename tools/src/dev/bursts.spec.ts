import { setTimeout as sleep } from 'node:timers/promises';
import { comesTrue } from '@codase/testing/eventually';
import { Bursts, type Burst } from './bursts.ts';

const QUIET_MS = 20;

describe('bursts of changes', () => {
  let worked: Burst[];
  let ends: (() => void)[];
  let bursts: Bursts;
  beforeEach(() => {
    [worked, ends] = [[], []];
    bursts = new Bursts(async (burst) => {
      worked.push(burst);
      await new Promise<void>((resolve) => ends.push(resolve));
    }, QUIET_MS);
  });
  afterEach(async () => {
    for (const end of ends) end();
    await bursts.close();
  });
  const files = () => worked.map((burst) => burst.files);
  const begun = (count: number) => comesTrue(async () => expect(worked).toHaveLength(count));

  it('are one piece of work, which names each file once', async () => {
    for (const file of ['a.ts', 'b.ts', 'a.ts']) bursts.add(file);
    await begun(1);

    expect(files()).toEqual([['a.ts', 'b.ts']]);
  });

  it('that come while work is under way are one more piece of work, which begins when that has ended', async () => {
    bursts.add('a.ts');
    await begun(1);
    bursts.add('b.ts');
    bursts.add('c.ts');
    await comesTrue(async () => expect(worked[0]!.superseded.aborted).toBe(true));
    expect(files()).toEqual([['a.ts']]);

    ends[0]!();
    await begun(2);
    expect(files()).toEqual([['a.ts'], ['b.ts', 'c.ts']]);
    expect(worked[1]!.since).toBeGreaterThan(worked[0]!.since);
  });

  it('do not come to work after the end', async () => {
    bursts.add('a.ts');
    await bursts.close();
    bursts.add('b.ts');
    await sleep(2 * QUIET_MS);

    expect(files()).toEqual([]);
  });
});
