import type { Bench } from '@codase/bench';
import { inTempTree } from '@codase/testing/temp-tree';
import { findBenches } from './find-benches.ts';
import { runBenches } from './run-benches.ts';

const measured = (name: string, ours: number): Bench => ({
  name,
  what: 'fixed rates',
  unit: 'x/s',
  bar: 0.9,
  contenders: { floor: () => ({ operations: 100, seconds: 1 }), ours: () => ({ operations: ours, seconds: 1 }) },
});

describe('running benches', () => {
  it('is well when every bar is taken, and ends each with one line of JSON', async () => {
    const said: string[] = [];

    expect(await runBenches([measured('a', 95), measured('b', 90)], 0.1, (text) => said.push(text))).toBe(true);
    expect(said.map((text) => JSON.parse(text.split('\n').at(-1)!) as { bench: string; ok: boolean })).toMatchObject([
      { bench: 'a', ok: true },
      { bench: 'b', ok: true },
    ]);
    expect(said[0]).toMatch(/\d+ cores, Node .*, 7 rounds$/m);
  });

  it('is not when one is missed, and runs the others all the same', async () => {
    const said: string[] = [];

    expect(await runBenches([measured('a', 89), measured('b', 95)], 0.1, (text) => said.push(text))).toBe(false);
    expect(said).toHaveLength(2);
  });
});

describe('finding benches', () => {
  const source = (name: string) => `export default { name: '${name}', what: 'w', unit: 'u', bar: 1, contenders: {} };`;

  it('reads those of a folder in order', () =>
    inTempTree(
      { 'package.json': '{"type":"module"}', 'b.bench.js': source('b'), 'a.bench.js': source('a'), 'index.js': '' },
      async (dir) => {
        expect((await findBenches(dir)).map(({ name }) => name)).toEqual(['a', 'b']);
      },
    ));

  it('refuses one that goes by another name than its file', () =>
    inTempTree({ 'package.json': '{"type":"module"}', 'a.bench.js': source('b') }, async (dir) => {
      await expect(findBenches(dir)).rejects.toThrow('bench/src/a.bench.ts');
    }));
});
