import { inSlices } from './in-slices.ts';

function* busy(steps: number, ms: number): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    for (const until = performance.now() + ms; performance.now() < until;);
    yield;
  }
  return 'done';
}

describe('work in slices', () => {
  it('yields to other tasks between slices', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    expect(await inSlices(busy(8, 12))).toBe('done');
    clearInterval(counting);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('does not yield when it has little to do', async () => {
    let turns = 0;
    const counting = setImmediate(() => turns++);
    expect(await inSlices(busy(3, 0))).toBe('done');
    clearImmediate(counting);
    expect(turns).toBe(0);
  });
});
