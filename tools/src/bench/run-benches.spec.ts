import type { Bench } from '@codase/bench';
import { inTempTree } from '@codase/testing/temp-tree';
import { findBenches, runBenches } from './run-benches.ts';

const measured = (name: string, ours: number): Bench => ({
  name,
  what: 'fixed rates',
  unit: 'x/s',
  bar: 0.9,
  contenders: { floor: () => ({ operations: 100, seconds: 1 }), ours: () => ({ operations: ours, seconds: 1 }) },
});

describe('a run of benches', () => {
  it('succeeds when every bench reaches its bar, and ends each with one line of JSON', async () => {
    const said: string[] = [];

    expect(await runBenches([measured('a', 95), measured('b', 90)], 0.1, (text) => said.push(text))).toBe(true);
    expect(said.map((text) => JSON.parse(text.split('\n').at(-1)!) as { bench: string; ok: boolean })).toMatchObject([
      { bench: 'a', ok: true },
      { bench: 'b', ok: true },
    ]);
    expect(said[0]).toMatch(/\d+ cores, Node .*, 7 rounds$/m);
  });

  it('fails when one bench misses its bar, after running all others', async () => {
    const said: string[] = [];

    expect(await runBenches([measured('a', 89), measured('b', 95)], 0.1, (text) => said.push(text))).toBe(false);
    expect(said).toHaveLength(2);
  });
});

describe('the list of benches', () => {
  const source = (name: string) => `export default { name: '${name}', what: 'w', unit: 'u', bar: 1, contenders: {} };`;

  it('contains the benches of a folder in order of their names', () =>
    inTempTree(
      { 'package.json': '{"type":"module"}', 'b.bench.js': source('b'), 'a.bench.js': source('a'), 'index.js': '' },
      async (dir) => {
        expect((await findBenches(dir)).map(({ name }) => name)).toEqual(['a', 'b']);
      },
    ));

  it('does not accept a bench whose name differs from its file name', () =>
    inTempTree({ 'package.json': '{"type":"module"}', 'a.bench.js': source('b') }, async (dir) => {
      await expect(findBenches(dir)).rejects.toThrow('bench/src/a.bench.ts');
    }));
});
