import { cycles } from './cycles.ts';

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('the cycle search', () => {
  it('finds no cycle in a diamond', () => {
    expect(cycles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  it('names a cycle from its first file', () => {
    expect(cycles(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual([['b', 'c', 'b']]);
  });

  it('finds a file that imports itself', () => {
    expect(cycles(graph({ a: ['a'] }))).toEqual([['a', 'a']]);
  });
});
