import type { FlowDefinition } from '@codase/contracts';
import { DefinitionCache } from './definition-cache.ts';

const MIB = 1024 * 1024;
const definition = (entry: string) => ({ entry }) as FlowDefinition;

describe('definitions in memory', () => {
  const cacheOf = (definitions: number, bytes: number) => {
    const cache = new DefinitionCache();
    for (let nth = 0; nth < definitions; nth++) cache.put(`d${nth}`, definition(`n${nth}`), bytes);
    return Array.from({ length: definitions }, (_, nth) => nth).filter((nth) => cache.get(`d${nth}`) !== undefined);
  };

  it('are the newest 200 while they are short', () => {
    expect(cacheOf(201, 1000)).toEqual(Array.from({ length: 200 }, (_, nth) => nth + 1));
  });

  it('are fewer when they are long', () => {
    expect(cacheOf(20, 2 * MIB)).toEqual(Array.from({ length: 16 }, (_, nth) => nth + 4));
    expect(cacheOf(2, 33 * MIB)).toEqual([]);
  });

  it('count once when they are read twice', () => {
    const cache = new DefinitionCache();
    for (let time = 0; time < 100; time++) cache.put('same', definition('a'), 2 * MIB);
    cache.put('other', definition('b'), 2 * MIB);
    expect(cache.get('same')).toEqual(definition('a'));
  });
});
