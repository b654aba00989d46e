import fc from 'fast-check';
import { dependencyOrder, isCycle } from './dependency-order.ts';

const sorted = (graph: Record<string, string[]>, keys = Object.keys(graph)) => {
  const dependsOn = (key: string) => graph[key]!;
  return dependencyOrder(keys, dependsOn).map((group) => group.toSorted());
};

describe('dependency order', () => {
  it('puts dependencies before the keys that need them', () => {
    expect(sorted({ a: ['b'], b: ['c'], c: [] })).toEqual([['c'], ['b'], ['a']]);
  });

  it('groups keys that depend on each other', () => {
    expect(sorted({ a: ['b'], b: ['c', 'd'], c: ['b'], d: [] })).toEqual([['d'], ['b', 'c'], ['a']]);
    expect(sorted({ a: ['b'], b: ['a'], c: ['d'], d: ['c', 'a'] })).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('reports a cycle of one key only when the key depends on itself', () => {
    expect(isCycle(['a'], () => [])).toBe(false);
    expect(isCycle(['a'], () => ['b'])).toBe(false);
    expect(isCycle(['a'], () => ['b', 'a'])).toBe(true);
    expect(isCycle(['a', 'b'], () => [])).toBe(true);
  });

  it('groups exactly the mutually dependent keys, after their dependencies, for any order of the keys', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const graph = fc.tuple(...keys.map(() => fc.subarray(keys))).map((lists) => Object.fromEntries(keys.map((key, i) => [key, lists[i]!])));
    const reaches = (graph: Record<string, string[]>, from: string, to: string): boolean => {
      const seen = new Set([from]);
      for (const key of seen) for (const next of graph[key]!) seen.add(next);
      return seen.has(to);
    };
    fc.assert(
      fc.property(graph, fc.shuffledSubarray(keys, { minLength: keys.length }), (graph, order) => {
        const groups = sorted(graph, order);
        const indexOfGroup = (key: string) => groups.findIndex((group) => group.includes(key));
        for (const a of keys) {
          for (const b of keys) expect(indexOfGroup(a) === indexOfGroup(b)).toBe(a === b || (reaches(graph, a, b) && reaches(graph, b, a)));
          for (const needed of graph[a]!) expect(indexOfGroup(needed)).toBeLessThanOrEqual(indexOfGroup(a));
        }
      }),
    );
  });
});
