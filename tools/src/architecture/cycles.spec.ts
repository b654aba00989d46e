import { cycles } from './cycles.ts';

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('cycles', () => {
  it('are none in a diamond', () => {
    expect(cycles(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  it('are named from where they begin', () => {
    expect(cycles(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual([['b', 'c', 'b']]);
  });

  it('include a file that imports itself', () => {
    expect(cycles(graph({ a: ['a'] }))).toEqual([['a', 'a']]);
  });
});
